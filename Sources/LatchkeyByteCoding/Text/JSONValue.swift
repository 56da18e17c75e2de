/// A value of JSON (RFC 8259 section 3).
package enum JSONValue: Sendable, Hashable {
  /// A string, its escapes resolved.
  case string(String)
  /// A number as it is written: a binary fraction would be another number.
  case number(String)
  /// `true` or `false`.
  case boolean(Bool)
  /// `null`.
  case null
  /// Values in order.
  case array([JSONValue])
  /// Values by name.
  case object([String: JSONValue])

  /// The text of a string; nil for other values.
  package var string: String? { if case .string(let text) = self { text } else { nil } }
  /// The elements of an array; nil for other values.
  package var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
  /// The members of an object; nil for other values.
  package var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
}
