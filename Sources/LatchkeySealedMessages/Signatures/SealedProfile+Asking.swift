internal import RawStructuredFieldValues

extension SealedProfile {
  /// Requests a signed answer to an unsigned request: sets `Accept-Signature` (RFC 9421 5.1), replacing such a field in the
  /// request.
  ///
  /// The answer's signature then carries the nonce, so that a replayed earlier answer is refused.
  ///
  /// - Parameter nonce: fresh, at least 128 bits, base64url.
  /// - Throws: `.misuse`.
  public static func ask(_ request: inout HTTPRequestMessage, nonce: String) throws(SealedMessageError) {
    guard isNonce(nonce) else { throw .misuse("give a nonce of at least 128 bits in base64url") }
    let answer = HTTPResponseMessage(status: 200, fields: HTTPFields([("content-type", "")]))
    let components = responseCoverage(answer, to: request).map(\.identifier)
    request.fields.replace(
      "accept-signature",
      with: "\(label)=(\(components.joined(separator: " ")));created;expires;nonce=\(CoveredComponent.quoted(nonce))"
        + ";alg=\(CoveredComponent.quoted(SignatureAlgorithm.ecdsaP256SHA256.rawValue))"
        + ";tag=\(CoveredComponent.quoted(responseTag))")
  }

  /// Whether the answer to a request must be signed: the request is signed, or requests it. Requests for other profiles are
  /// ignored, as RFC 9421 5.2 allows.
  ///
  /// - Throws: `.malformed` if `Accept-Signature` cannot be parsed, or has no valid nonce.
  public static func wantsSignedAnswer(_ request: HTTPRequestMessage) throws(SealedMessageError) -> Bool {
    let asks = try wantedNonce(request) != nil
    return asks || request.fields["signature"] != nil || request.fields["signature-input"] != nil
  }

  /// The nonce for the answer's signature; nil if `Accept-Signature` does not request this profile.
  static func wantedNonce(_ request: HTTPRequestMessage) throws(SealedMessageError) -> String? {
    guard let field = request.fields["accept-signature"] else { return nil }
    var wanted: String?
    for member in try StructuredField.members(field, field: "accept-signature") {
      guard case .innerList(let list) = member.value, case .string(responseTag)? = list.rfc9651Parameters["tag"] else {
        continue
      }
      guard wanted == nil, case .string(let nonce)? = list.rfc9651Parameters["nonce"], isNonce(nonce) else {
        throw .malformed("accept-signature: not just one with the tag \(responseTag), and a nonce of 128 bits")
      }
      wanted = nonce
    }
    return wanted
  }
}
