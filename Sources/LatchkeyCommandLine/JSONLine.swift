import LatchkeyByteCoding
import LatchkeySystem

/// One object on one line, its keys in the order given: what `--json` prints.
///
/// The first key is `event`. The last line of a command is `done`, or `error` with a code, a message and, where it is known, a cause.
package struct JSONLine {
  /// A value of an object.
  package enum Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    case text(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    case list([Value])
    case object(KeyValuePairs<String, Value>)
    case null

    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// The value as JSON.
    package var encoded: String {
      switch self {
      case .text(let text): JSONLine.quoted(text)
      case .integer(let number): "\(number)"
      case .number(let number): number.isFinite ? "\(number)" : "null"
      case .boolean(let boolean): boolean ? "true" : "false"
      case .list(let values): "[" + values.map(\.encoded).joined(separator: ",") + "]"
      case .object(let fields):
        "{" + fields.map { JSONLine.quoted($0.key) + ":" + $0.value.encoded }.joined(separator: ",") + "}"
      case .null: "null"
      }
    }
  }

  /// The line, without its end.
  package let text: String

  /// The line of an event with these fields.
  package init(_ event: String, _ fields: KeyValuePairs<String, Value> = [:]) {
    var text = "{\"event\":" + Self.quoted(event)
    for (key, value) in fields { text += "," + Self.quoted(key) + ":" + value.encoded }
    self.text = text + "}"
  }

  /// The line of an event whose fields are known only when it happens.
  package init(_ event: String, fields: [(key: String, value: Value)]) {
    text =
      "{\"event\":" + Self.quoted(event)
      + fields.map { "," + Self.quoted($0.key) + ":" + $0.value.encoded }.joined() + "}"
  }

  /// A program reads the same text; a terminal does not act on it.
  private static let escapes = JSONString.Escapes(hasShortForms: true) { !PrintableText.isPrintable($0) }

  fileprivate static func quoted(_ text: String) -> String { JSONString.quote(text, escapes: escapes) }
}
