package import CoreBluetooth
import Foundation
import LatchkeyByteCoding

/// JSON to be written: the members of an object stay in order, and a text is the same each time.
enum DefinitionText {
  case string(String)
  case number(String)
  case boolean(Bool)
  case null
  /// On one line if it fits, as an object is.
  case array([DefinitionText])
  case object([(key: String, value: DefinitionText)])
  /// Each element on a line of its own, however long it is.
  case lines([DefinitionText])

  /// How long a line of values may be, in characters.
  private static let width = 110

  /// The text, which ends with a line feed.
  var data: Data {
    var text = ""
    write(to: &text, indent: 0)
    text.append("\n")
    return Data(text.utf8)
  }

  private func write(to text: inout String, indent: Int) {
    switch self {
    case .array(let elements):
      guard let line = line(within: Self.width - indent) else {
        return Self.write(elements, to: &text, indent: indent)
      }
      text.append(line)
    case .lines(let elements):
      guard !elements.isEmpty else { return text.append("[]") }
      let margin = String(repeating: " ", count: indent + 2)
      let all = elements.map { margin + ($0.line(within: .max) ?? "") }
      text.append("[\n\(all.joined(separator: ",\n"))\n\(String(repeating: " ", count: indent))]")
    case .object(let members):
      if let line = line(within: Self.width - indent) { return text.append(line) }
      let margin = String(repeating: " ", count: indent + 2)
      text.append("{\n")
      for (index, member) in members.enumerated() {
        text.append("\(margin)\(Self.quote(member.key)): ")
        member.value.write(to: &text, indent: indent + 2)
        text.append(index + 1 < members.count ? ",\n" : "\n")
      }
      text.append(String(repeating: " ", count: indent) + "}")
    default: text.append(line(within: .max) ?? "")
    }
  }

  private static func write(_ elements: [DefinitionText], to text: inout String, indent: Int) {
    let margin = String(repeating: " ", count: indent + 2)
    text.append("[\n")
    for (index, element) in elements.enumerated() {
      text.append(margin)
      element.write(to: &text, indent: indent + 2)
      text.append(index + 1 < elements.count ? ",\n" : "\n")
    }
    text.append(String(repeating: " ", count: indent) + "]")
  }

  /// The value on one line; nil if it has more characters, or has lines of its own.
  private func line(within width: Int) -> String? {
    let text: String
    switch self {
    case .string(let string): text = Self.quote(string)
    case .number(let number): text = number
    case .boolean(let boolean): text = boolean ? "true" : "false"
    case .null: text = "null"
    case .lines(let elements):
      guard elements.isEmpty else { return nil }
      text = "[]"
    case .array(let elements):
      guard let lines = Self.lines(of: elements, within: width) else { return nil }
      text = "[\(lines.joined(separator: ", "))]"
    case .object(let members):
      guard let lines = Self.lines(of: members.map(\.value), within: width) else { return nil }
      let pairs = zip(members, lines).map { "\(Self.quote($0.key)): \($1)" }
      text = "{\(pairs.joined(separator: ", "))}"
    }
    return text.utf8.count <= width ? text : nil
  }

  private static func lines(of elements: [DefinitionText], within width: Int) -> [String]? {
    var lines: [String] = []
    var count = 0
    for element in elements {
      guard let line = element.line(within: width - count) else { return nil }
      count += line.utf8.count
      lines.append(line)
    }
    return lines
  }

  private static func quote(_ text: String) -> String { JSONString.quote(text, escapes: .controls) }
}

extension DefinitionText {
  /// The least number of bytes that are written as text.
  private static let leastText = 4

  /// Bytes as `text:` if they are some printable characters of ASCII, otherwise as `hex:`.
  init(_ bytes: Data) {
    let isText = bytes.count >= Self.leastText && bytes.allSatisfy { (0x20...0x7E).contains($0) }
    self = .string(isText ? "text:" + String(decoding: bytes, as: UTF8.self) : "hex:" + Hexadecimal.encode(bytes))
  }

  init(_ uuid: CBUUID) { self = .string(uuid.uuidString) }

  /// A time in seconds, to the nanosecond.
  init(_ time: Duration) {
    let (seconds, attoseconds) = time.components
    let nanoseconds = String(attoseconds / 1_000_000_000)
    var fraction = String(repeating: "0", count: max(0, 9 - nanoseconds.count)) + nanoseconds
    while fraction.last == "0" { fraction.removeLast() }
    self = .number(fraction.isEmpty ? "\(seconds)" : "\(seconds).\(fraction)")
  }

  init(_ code: CBATTError.Code) { self = .string(code.text) }
}

extension CBATTError.Code {
  /// The code as definitions have it: its name, or `0x` and two digits.
  package var text: String {
    let names = AttributeErrorName.allCases
    guard !names.indices.contains(rawValue) else { return names[rawValue].rawValue }
    return "0x" + Hexadecimal.encode([UInt8(truncatingIfNeeded: rawValue)])
  }
}
