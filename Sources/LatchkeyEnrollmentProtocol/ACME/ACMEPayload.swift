internal import LatchkeyByteCoding

/// The content of a signed ACME request: a JSON object, whose unknown members are ignored (RFC 8555 7.1).
package struct ACMEPayload: Sendable {
  private let members: [String: JSONValue]

  /// Parses a payload.
  ///
  /// - Throws: `.malformed`.
  package init(_ bytes: [UInt8]) throws(JSONWebSignatureError) {
    let limits = StrictJSON.Limits(size: JSONWebSignature.longest, depth: 8, members: 64)
    var read: JSONValue?
    do throws(StrictJSONError) { read = try StrictJSON.read(bytes, within: limits) } catch {}
    guard let members = read?.object else { throw .malformed("the payload is no JSON object") }
    self.members = members
  }

  /// Whether a member is there.
  package func has(_ name: String) -> Bool { members[name] != nil }

  /// A member that is a text.
  ///
  /// - Returns: nil without it.
  /// - Throws: `.malformed` if it is something else.
  package func text(_ name: String) throws(JSONWebSignatureError) -> String? {
    guard let value = members[name] else { return nil }
    guard let text = value.string else { throw .malformed("\(name) is no text") }
    return text
  }

  /// A member that is true or false; false without it.
  ///
  /// - Throws: `.malformed` if it is something else.
  package func flag(_ name: String) throws(JSONWebSignatureError) -> Bool {
    switch members[name] {
    case nil: return false
    case .boolean(let value)?: return value
    default: throw .malformed("\(name) is neither true nor false")
    }
  }

  /// A member that is a whole number from 0 to 255.
  ///
  /// - Returns: nil without it.
  /// - Throws: `.malformed` if it is something else.
  package func number(_ name: String) throws(JSONWebSignatureError) -> Int? {
    guard let value = members[name] else { return nil }
    guard case .number(let text) = value, let number = UInt8(text) else {
      throw .malformed("\(name) is no small number")
    }
    return Int(number)
  }

  /// A required member in base64url.
  ///
  /// - Throws: `.malformed` if it is missing, or something else.
  package func bytes(_ name: String) throws(JSONWebSignatureError) -> [UInt8] {
    guard let text = members[name]?.string, let bytes = Base64URL.decode(text) else {
      throw .malformed("\(name) is missing, or not in base64url without padding")
    }
    return bytes
  }

  /// An identifier of an order (RFC 8555 7.1.3).
  package struct Identifier: Sendable, Hashable {
    /// Its type.
    package let type: String
    /// Its value. A secret, if it is an enrollment token.
    package let value: String
  }

  /// The identifiers of an order.
  ///
  /// - Throws: `.malformed`.
  package var identifiers: [Identifier] {
    get throws(JSONWebSignatureError) {
      var identifiers: [Identifier] = []
      for value in members["identifiers"]?.array ?? [] {
        guard let type = value.object?["type"]?.string, let text = value.object?["value"]?.string else {
          throw .malformed("an identifier has a type and a value")
        }
        identifiers.append(Identifier(type: type, value: text))
      }
      return identifiers
    }
  }
}
