internal import Foundation

/// An `os_log` format with its arguments, by Apple's rules of privacy. Nothing in a format or an argument ends the program: what
/// does not fit is named in the text, as Apple's log does.
struct FormattedMessage {
  private var arguments: ArraySlice<Any?>
  private let errorNumber: Int32
  private var text = ""

  static func text(_ format: String, _ arguments: [Any?], errorNumber: Int32) -> String {
    var message = FormattedMessage(arguments: arguments[...], errorNumber: errorNumber)
    message.add(format)
    return message.text
  }

  private init(arguments: ArraySlice<Any?>, errorNumber: Int32) {
    self.arguments = arguments
    self.errorNumber = errorNumber
  }

  private mutating func add(_ format: String) {
    var rest = Substring(format).utf8
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      text += String(Substring(rest[..<percent]))
      rest = rest[rest.index(after: percent)...]
      let start = rest
      guard let directive = FormatDirective.read(from: &rest) else {
        text += "%" + String(Substring(start))
        return
      }
      add(directive)
    }
    text += String(Substring(rest))
  }

  private mutating func add(_ directive: FormatDirective) {
    if directive.conversion == "%" {
      text += "%"
      return
    }
    guard let width = count(directive.width), let precision = count(directive.precision) else {
      text += "<decode: missing data>"
      return
    }
    // A negative width from an argument is one from the left; a negative precision is none.
    let precisionToUse = precision.flatMap { $0 < 0 ? nil : min($0, largestWidth) }
    let columns = width.map { min($0.magnitude, UInt(largestWidth)) } ?? 0
    let layout = Layout(
      flags: directive.flags.union((width ?? 0) < 0 ? ["-"] : []), width: Int(columns), precision: precisionToUse)
    if directive.conversion == "m" {
      let number = errorNumber
      text += directive.privacy.shown(scalar: true) { layout.padded(String(cString: strerror(number))) }
      return
    }
    if directive.conversion == "n" {
      text += "<decode: unsupported [\(directive.source)]>"
      return
    }
    guard let argument = arguments.popFirst() else {
      text += "<decode: missing data>"
      return
    }
    text += shown(argument, directive, layout)
  }

  /// The number, none, or `nil` if it should be an argument and there is no such number.
  private mutating func count(_ count: FormatDirective.Count) -> Int?? {
    switch count {
    case .none: return .some(nil)
    case .number(let number): return .some(number)
    case .argument:
      guard let number = arguments.popFirst() as? any BinaryInteger else { return nil }
      return .some(Int(clamping: number))
    }
  }

  private func shown(_ argument: Any?, _ directive: FormatDirective, _ layout: Layout) -> String {
    let (isScalar, value): (Bool, (() -> String)?)
    switch directive.conversion {
    case "d", "i", "D": (isScalar, value) = (true, layout.decimal(argument, decoder: directive.decoder))
    case "u", "U": (isScalar, value) = (true, layout.bits(argument, radix: 10))
    case "o", "O": (isScalar, value) = (true, layout.bits(argument, radix: 8))
    case "x": (isScalar, value) = (true, layout.bits(argument, radix: 16))
    case "X": (isScalar, value) = (true, layout.bits(argument, radix: 16, uppercase: true))
    case "p": (isScalar, value) = (true, layout.pointer(argument))
    case "c", "C": (isScalar, value) = (true, layout.character(argument))
    case "f", "F", "e", "E", "g", "G", "a", "A":
      (isScalar, value) = (true, layout.floatingPoint(argument, directive.conversion))
    case "s", "S": (isScalar, value) = (false, layout.string(argument))
    case "@": (isScalar, value) = (false, { layout.object(argument) })
    // The bytes behind a pointer are not read: nothing here knows how many there are.
    case "P": (isScalar, value) = (false, { "<bytes>" })
    default: return "<decode: unsupported [\(directive.source)]>"
    }
    guard let value else {
      let got = argument.map { String(describing: type(of: $0)) } ?? "nil"
      return "<decode: mismatch for [\(directive.source)] got [\(got)]>"
    }
    return directive.privacy.shown(scalar: isScalar, value)
  }
}
