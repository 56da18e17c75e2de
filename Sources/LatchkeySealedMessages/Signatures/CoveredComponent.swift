internal import RawStructuredFieldValues

/// A component that a signature covers: a field or a derived component, with parameters (RFC 9421 2).
package struct CoveredComponent: Sendable, Hashable {
  /// A parameter that selects or transforms the value.
  package enum Parameter: Sendable, Hashable {
    /// `sf`: the structured field, in canonical form (2.1.1).
    case strict
    /// `key`: one member of a dictionary (2.1.2).
    case key(String)
    /// `bs`: each line as a byte sequence (2.1.3).
    case bytes
    /// `req`: from the request that the response answers (2.4).
    case request
    /// `name`: which parameter of the query (2.2.8).
    case name(String)
  }

  /// The lowercase name; derived components begin with `@`.
  package let name: String
  /// The parameters, in the order of the signature's input.
  package let parameters: [Parameter]

  /// Creates a component.
  package init(_ name: String, _ parameters: [Parameter] = []) {
    self.name = name
    self.parameters = parameters
  }

  /// Parses a component from an item of the covered list.
  init(_ item: Item) throws(SealedMessageError) {
    guard case .string(let name) = item.rfc9651BareItem, Self.isName(name) else {
      throw .malformed("signature-input: a component is a string in lower case")
    }
    var parameters: [Parameter] = []
    for (key, value) in item.rfc9651Parameters {
      switch (key, value) {
      case ("sf", .bool(true)): parameters.append(.strict)
      case ("bs", .bool(true)): parameters.append(.bytes)
      case ("req", .bool(true)): parameters.append(.request)
      case ("key", .string(let member)): parameters.append(.key(member))
      case ("name", .string(let parameter)): parameters.append(.name(parameter))
      default: throw .malformed("signature-input: a component's parameter is not known here")
      }
    }
    self.init(name, parameters)
  }

  /// Whether the component is from the request that a response answers.
  var isOfRequest: Bool { parameters.contains(.request) }

  /// The identifier, as in the signature's input and at the start of a line of the base.
  package var identifier: String {
    parameters.reduce(into: Self.quoted(name)) { text, parameter in
      switch parameter {
      case .strict: text += ";sf"
      case .bytes: text += ";bs"
      case .request: text += ";req"
      case .key(let member): text += ";key=" + Self.quoted(member)
      case .name(let name): text += ";name=" + Self.quoted(name)
      }
    }
  }

  /// Quotes a string of a structured field (RFC 9651 4.1.6). Parsed or validated text contains no other characters.
  static func quoted(_ text: String) -> String {
    // Nearly all texts are names without escapes. Replacing in them would cost more than the rest of the work beside the
    // signature itself.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"") }) else {
      return "\"" + text + "\""
    }
    return escaped(text)
  }

  private static func escaped(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// Whether a text is the name of a component.
  static func isName(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isOfName) }

  /// Whether a byte is a lowercase field name character or the sign of derived components.
  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "!#$%&'*+-.^_`|~@".utf8.contains(byte)
    }
  }
}
