internal import RawStructuredFieldValues

/// A signature's input: the covered components, in order, and the parameters (RFC 9421 2.3).
package struct SignatureInput: Sendable, Hashable {
  /// The components, each at most once.
  package let components: [CoveredComponent]
  /// The time of signing, seconds since 1970.
  package let created: Int64?
  /// The expiry, seconds since 1970.
  package let expires: Int64?
  /// The nonce that makes it unique.
  package let nonce: String?
  /// The algorithm, by its registered name.
  package let algorithm: String?
  /// The name of the key.
  package let keyID: String?
  /// The application that it is for.
  package let tag: String?
  /// The value of `@signature-params`: the covered list with its parameters, in canonical form.
  package let text: String

  /// Creates an input to sign.
  ///
  /// - Throws: `.misuse` if a text has characters other than printable ASCII.
  package init(
    _ components: [CoveredComponent], created: Int64? = nil, expires: Int64? = nil, nonce: String? = nil,
    algorithm: String? = nil, keyID: String? = nil, tag: String? = nil
  ) throws(SealedMessageError) {
    guard Set(components).count == components.count else { throw .misuse("cover each component once") }
    for text in [nonce, algorithm, keyID, tag] {
      guard text?.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) ?? true else {
        throw .misuse("use printable ASCII in a signature's parameters")
      }
    }
    var text = "(" + components.map(\.identifier).joined(separator: " ") + ")"
    if let created { text += ";created=\(created)" }
    if let expires { text += ";expires=\(expires)" }
    if let nonce { text += ";nonce=" + CoveredComponent.quoted(nonce) }
    if let keyID { text += ";keyid=" + CoveredComponent.quoted(keyID) }
    if let algorithm { text += ";alg=" + CoveredComponent.quoted(algorithm) }
    if let tag { text += ";tag=" + CoveredComponent.quoted(tag) }
    self.components = components
    self.created = created
    self.expires = expires
    self.nonce = nonce
    self.algorithm = algorithm
    self.keyID = keyID
    self.tag = tag
    self.text = text
  }

  /// The parameters that are known here.
  struct Parameters {
    var created: Int64?
    var expires: Int64?
    var nonce: String?
    var algorithm: String?
    var keyID: String?
    var tag: String?
  }

  /// A received input.
  ///
  /// - Parameter text: what it was read from, in canonical form.
  init(_ components: [CoveredComponent], _ parameters: Parameters, text: String) {
    self.components = components
    created = parameters.created
    expires = parameters.expires
    nonce = parameters.nonce
    algorithm = parameters.algorithm
    keyID = parameters.keyID
    tag = parameters.tag
    self.text = text
  }

  /// Parses a received input.
  init(_ list: InnerList) throws(SealedMessageError) {
    guard list.bareInnerList.count <= SignatureLimits.components else {
      throw .malformed("signature-input: too many components")
    }
    var components: [CoveredComponent] = []
    for item in list.bareInnerList { components.append(try CoveredComponent(item)) }
    // Components that differ only in the order of parameters are the same component.
    guard Set(components.map { CoveredOnce(name: $0.name, parameters: Set($0.parameters)) }).count == components.count
    else {
      throw .malformed("signature-input: a component stands twice")
    }
    self.components = components
    let parameters = list.rfc9651Parameters
    created = try Self.integer("created", of: parameters)
    expires = try Self.integer("expires", of: parameters)
    nonce = try Self.string("nonce", of: parameters)
    algorithm = try Self.string("alg", of: parameters)
    keyID = try Self.string("keyid", of: parameters)
    tag = try Self.string("tag", of: parameters)
    text = try StructuredField.serialize(.innerList(list), field: "signature-input")
  }

  private struct CoveredOnce: Hashable {
    var name: String
    var parameters: Set<CoveredComponent.Parameter>
  }

  private static func integer(
    _ name: String, of parameters: OrderedMap<String, RFC9651BareItem>
  ) throws(SealedMessageError) -> Int64? {
    guard let value = parameters[name] else { return nil }
    guard case .integer(let number) = value else { throw .malformed("signature-input: \(name) is no integer") }
    return number
  }

  private static func string(
    _ name: String, of parameters: OrderedMap<String, RFC9651BareItem>
  ) throws(SealedMessageError) -> String? {
    guard let value = parameters[name] else { return nil }
    guard case .string(let text) = value else { throw .malformed("signature-input: \(name) is no string") }
    return text
  }
}

/// Limits for reading signature fields.
package enum SignatureLimits {
  /// The maximum size in bytes of `Signature-Input`, `Signature`, `Content-Digest` and any other covered field.
  package static let fieldSize = 8192
  /// The maximum number of signatures of a message.
  package static let signatures = 8
  /// The maximum number of components of a signature.
  package static let components = 24
  /// The maximum size of a signature base in bytes.
  package static let baseSize = 64 * 1024
}
