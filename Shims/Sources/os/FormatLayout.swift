internal import Foundation

/// Flags, width and precision of a directive, and the values that it may write: `nil` for an argument of another type.
struct Layout {
  let flags: Set<Character>
  let width: Int
  let precision: Int?

  func padded(_ text: String) -> String {
    guard text.count < width else { return text }
    let spaces = String(repeating: " ", count: width - text.count)
    return flags.contains("-") ? text + spaces : spaces + text
  }

  func decimal(_ argument: Any?, decoder: String) -> (() -> String)? {
    guard let number = integer(argument) else { return nil }
    return {
      switch decoder {
      case "BOOL": padded(isZero(number) ? "NO" : "YES")
      case "bool": padded(isZero(number) ? "false" : "true")
      case "errno", "darwin.errno":
        padded("[\(number): \(String(cString: strerror(Int32(clamping: number))))]")
      default:
        digits(
          magnitude(number), sign: isNegative(number) ? "-" : flags.contains("+") ? "+" : flags.contains(" ") ? " " : ""
        )
      }
    }
  }

  /// A negative number as its bits.
  func bits(_ argument: Any?, radix: Int, uppercase: Bool = false) -> (() -> String)? {
    guard let number = integer(argument) else { return nil }
    return {
      let prefix =
        !flags.contains("#") || isZero(number) ? "" : radix == 16 ? (uppercase ? "0X" : "0x") : radix == 8 ? "0" : ""
      return digits(patternText(number, radix: radix, uppercase: uppercase), sign: prefix)
    }
  }

  func pointer(_ argument: Any?) -> (() -> String)? {
    if let argument, let pointer = argument as? any _Pointer {
      return { padded("0x" + String(pointer.address, radix: 16)) }
    }
    if argument == nil { return { padded("0x0") } }
    guard let number = integer(argument) else { return nil }
    return { padded("0x" + patternText(number, radix: 16, uppercase: false)) }
  }

  func character(_ argument: Any?) -> (() -> String)? {
    guard let number = integer(argument) else { return nil }
    let scalar = UInt32(exactly: number).flatMap(UnicodeScalar.init) ?? "\u{FFFD}"
    return { padded(String(Character(scalar))) }
  }

  func floatingPoint(_ argument: Any?, _ conversion: Character) -> (() -> String)? {
    guard let number = (argument as? any BinaryFloatingPoint).map({ Double($0) }) else { return nil }
    return {
      var format = "%" + String(flags.filter { "+ #-0".contains($0) })
      if width > 0 { format += String(width) }
      if let precision { format += ".\(precision)" }
      return String(format: format + String(conversion), number)
    }
  }

  /// A C string must end, and is read no further than the precision.
  func string(_ argument: Any?) -> (() -> String)? {
    guard let argument else { return { padded(cut("(null)")) } }
    switch argument {
    case let text as String: return { padded(cut(text)) }
    case let text as Substring: return { padded(cut(String(text))) }
    case let text as StaticString: return { padded(cut(text.description)) }
    case let text as NSString: return { padded(cut(text.description)) }
    case let text as UnsafePointer<CChar>: return { padded(read(text)) }
    case let text as UnsafeMutablePointer<CChar>: return { padded(read(UnsafePointer(text))) }
    case let text as UnsafePointer<UInt8>:
      return { padded(read(UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self))) }
    default: return nil
    }
  }

  func object(_ argument: Any?) -> String {
    padded(argument.map { String(describing: $0) } ?? "(null)")
  }

  private func cut(_ text: String) -> String { precision.map { String(text.prefix($0)) } ?? text }

  private func read(_ text: UnsafePointer<CChar>) -> String {
    let length = precision.map { strnlen(text, $0) } ?? strlen(text)
    return String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
  }

  private func integer(_ argument: Any?) -> (any FixedWidthInteger)? {
    if let bool = argument as? Bool { return bool ? 1 : 0 }
    return argument as? any FixedWidthInteger
  }

  private func isZero(_ number: some FixedWidthInteger) -> Bool { number == 0 }
  private func isNegative(_ number: some FixedWidthInteger) -> Bool { number < 0 }
  private func magnitude(_ number: some FixedWidthInteger) -> String { String(number.magnitude) }
  private func patternText<Number: FixedWidthInteger>(_ number: Number, radix: Int, uppercase: Bool) -> String {
    String(Number.Magnitude(truncatingIfNeeded: number), radix: radix, uppercase: uppercase)
  }

  /// Zeros up to the precision; or, by the flag and without a precision, up to the width.
  private func digits(_ digits: String, sign: String) -> String {
    let zeroPadded = flags.contains("0") && !flags.contains("-") && precision == nil
    let least = precision ?? (zeroPadded ? width - sign.count : 0)
    return padded(sign + String(repeating: "0", count: max(0, least - digits.count)) + digits)
  }
}

extension _Pointer {
  fileprivate var address: UInt { UInt(bitPattern: self) }
}
