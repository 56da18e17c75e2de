internal import LatchkeyByteCoding

/// JSON written as Swift literals, with members in order.
indirect enum JSONLiteral: Sendable, Hashable {
  case string(String)
  case integer(Int)
  case boolean(Bool)
  case array([JSONLiteral])
  case object([Member])

  struct Member: Sendable, Hashable {
    let name: String
    let value: JSONLiteral
  }

  /// An object whose members are computed.
  static func members(_ members: [(String, JSONLiteral)]) -> JSONLiteral {
    .object(members.map { Member(name: $0.0, value: $0.1) })
  }

  /// A reference inside the document.
  static func reference(_ path: String) -> JSONLiteral { ["$ref": .string("#/components/\(path)")] }

  /// This object with additional members at its end.
  func with(_ more: [(String, JSONLiteral)]) -> JSONLiteral {
    guard case .object(let members) = self else { return self }
    return .object(members + more.map { Member(name: $0.0, value: $0.1) })
  }

  /// The member with this name; nil if there is none.
  subscript(_ name: String) -> JSONLiteral? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The encoded JSON.
  var text: String {
    switch self {
    case .string(let text): Self.quoted(text)
    case .integer(let number): "\(number)"
    case .boolean(let boolean): "\(boolean)"
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String { JSONString.quote(text, escapes: .controls) }
}

extension JSONLiteral: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(integerLiteral value: Int) { self = .integer(value) }
  init(booleanLiteral value: Bool) { self = .boolean(value) }
  init(arrayLiteral elements: JSONLiteral...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSONLiteral)...) { self = .members(elements) }
}
