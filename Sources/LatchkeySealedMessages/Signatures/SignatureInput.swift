internal import RawStructuredFieldValues

/// What a signature says of itself: the components it covers, in order, and its parameters (RFC 9421 2.3).
package struct SignatureInput: Sendable, Hashable {
  /// The components, each of them once.
  package let components: [CoveredComponent]
  /// When it was made, seconds since 1970.
  package let created: Int64?
  /// When it ends, seconds since 1970.
  package let expires: Int64?
  /// What makes it the only one of its kind.
  package let nonce: String?
  /// The algorithm, of the registry's names.
  package let algorithm: String?
  /// How the key is found.
  package let keyID: String?
  /// For which application it was made.
  package let tag: String?
  /// The value of `@signature-params`: the covered list with its parameters, in the one way of writing it.
  package let text: String

  /// An input to sign.
  ///
  /// - Throws: `.misuse` when a text has characters other than printable ASCII.
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

  /// An input as it came.
  init(_ list: InnerList) throws(SealedMessageError) {
    guard list.bareInnerList.count <= SignatureLimits.components else {
      throw .malformed("signature-input: too many components")
    }
    var components: [CoveredComponent] = []
    for item in list.bareInnerList { components.append(try CoveredComponent(item)) }
    // The order of a component's parameters makes no other component of it.
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

/// How much of a signature's fields is read.
package enum SignatureLimits {
  /// Bytes of `Signature-Input`, of `Signature`, of `Content-Digest` and of any other field that is covered.
  package static let fieldSize = 8192
  /// Signatures of one message.
  package static let signatures = 8
  /// Components of one signature.
  package static let components = 24
  /// Bytes of a signature base.
  package static let baseSize = 64 * 1024
}
