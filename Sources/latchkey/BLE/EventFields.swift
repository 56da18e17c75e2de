import LatchkeyCommandLine

/// The fields of an event, in order.
typealias EventFields = [(key: String, value: JSONLine.Value)]

extension JSONLine.Value {
  /// The text, or null.
  static func maybe(_ text: String?) -> Self { text.map { .text($0) } ?? .null }

  /// The number, or null.
  static func maybe(_ number: (some BinaryInteger)?) -> Self { number.map { .integer(Int($0)) } ?? .null }

  /// The truth value, or null.
  static func maybe(_ value: Bool?) -> Self { value.map { .boolean($0) } ?? .null }
}
