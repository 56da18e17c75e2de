internal import LatchkeyByteCoding

/// JSON written as Swift literals, with members in order.
public indirect enum JSONLiteral: Sendable, Hashable {
  /// A string.
  case string(String)
  /// A whole number.
  case integer(Int)
  /// True or false.
  case boolean(Bool)
  /// An array.
  case array([JSONLiteral])
  /// An object.
  case object([Member])

  /// A member of an object.
  public struct Member: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// Its value.
    public let value: JSONLiteral
  }

  /// An object whose members are computed.
  public static func members(_ members: [(String, JSONLiteral)]) -> JSONLiteral {
    .object(members.map { Member(name: $0.0, value: $0.1) })
  }

  /// A reference inside the document.
  public static func reference(_ path: String) -> JSONLiteral { ["$ref": .string("#/components/\(path)")] }

  /// This object with additional members at its end.
  package func with(_ more: [(String, JSONLiteral)]) -> JSONLiteral {
    guard case .object(let members) = self else { return self }
    return .object(members + more.map { Member(name: $0.0, value: $0.1) })
  }

  /// The member with this name; nil if there is none.
  public subscript(_ name: String) -> JSONLiteral? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The encoded JSON.
  public var text: String {
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
  /// A literal.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A literal.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// A literal.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// A literal.
  public init(arrayLiteral elements: JSONLiteral...) { self = .array(elements) }
  /// A literal.
  public init(dictionaryLiteral elements: (String, JSONLiteral)...) { self = .members(elements) }
}
