extension SealedProfile {
  /// Signs the answer to `request`: adds `Content-Digest`, `Signature-Input` and `Signature`, replacing such fields in the
  /// response. An answer without content (204) gets no digest. The signature expires after ``Window``'s default. It carries the
  /// nonce that the request asked for, if any.
  ///
  /// - Throws: `.malformed` as ``wantsSignedAnswer(_:)`` does; `.misuse`, also for a body of an answer without content; errors
  ///   of `sign`.
  public static func sign(
    _ response: inout HTTPResponseMessage, body: [UInt8], to request: HTTPRequestMessage, keyID: String, now: Int64,
    by sign: (_ message: [UInt8]) throws -> [UInt8]
  ) throws {
    guard response.hasContent || body.isEmpty else {
      throw SealedMessageError.misuse("an answer with status \(response.status) has no body")
    }
    var signed = response
    prepare(&signed.fields, contentDigest: response.hasContent ? ContentDigest.value(of: body) : nil)
    let input = try SignatureInput(
      responseCoverage(signed, to: request), created: now, expires: Window().end(from: now),
      nonce: try wantedNonce(request), algorithm: SignatureAlgorithm.ecdsaP256SHA256.rawValue,
      keyID: try checked(keyID), tag: responseTag)
    let base = try SignatureBase.bytes(input, over: .response(signed, to: request))
    try add(input, to: &signed.fields, signature: sign(base))
    response = signed
  }

  /// Verifies that `response` is the signed answer to exactly this request. If the request is signed, or requested a signature
  /// with a nonce, the answer is to this very sending of it.
  public static func verify(
    _ response: HTTPResponseMessage, body: [UInt8], to request: HTTPRequestMessage, now: Int64,
    window: Window = Window(), publicKey: (_ keyID: String) throws(SealedMessageError) -> [UInt8]?
  ) throws(SealedMessageError) -> Verified {
    let verified = try verifyHead(response, to: request, now: now, window: window, publicKey: publicKey)
    if let digest = response.fields["content-digest"] {
      try ContentDigest.verify(digest, of: body)
    } else if !body.isEmpty {
      throw .notAuthentic
    }
    return verified
  }

  /// Verifies all but the content, of which the signature covers `Content-Digest`: that of the head of an answer whose content is still to
  /// come. The caller compares the content with the digest (``ContentDigest``), or expects none if there is no such field.
  package static func verifyHead(
    _ response: HTTPResponseMessage, to request: HTTPRequestMessage, now: Int64, window: Window = Window(),
    publicKey: (_ keyID: String) throws(SealedMessageError) -> [UInt8]?
  ) throws(SealedMessageError) -> Verified {
    let entry = try entry(of: response.fields, tag: responseTag)
    try check(entry.input, covers: responseCoverage(response, to: request), in: response.fields)
    let nonce = try wantedNonce(request)
    let claims = try claims(entry.input, nonce: nonce ?? "", now: now, window: window)
    guard nonce == nil || entry.input.nonce == nonce else { throw .notAuthentic }
    guard response.fields["content-digest"] != nil || !response.hasContent else { throw .notCovered("content-digest") }
    return claims.verified(
      by: try check(entry, over: .response(response, to: request), publicKey: publicKey(claims.keyID)))
  }

  /// The components that a response's signature must cover. Covering only the request's signature would suffice unless a key
  /// exists under which the same signature verifies another request (RFC 9421 7.3.7).
  static func responseCoverage(
    _ response: HTTPResponseMessage, to request: HTTPRequestMessage
  ) -> [CoveredComponent] {
    let fields = response.fields
    return [CoveredComponent("@status")]
      + (response.hasContent || fields["content-digest"] != nil ? [CoveredComponent("content-digest")] : [])
      + ["content-type", "idempotency-replayed", "retry-after"].filter { fields[$0] != nil }.map {
        CoveredComponent($0)
      }
      + [CoveredComponent("@method", [.request]), CoveredComponent("@target-uri", [.request])]
      + ["content-digest", "signature"].filter { request.fields[$0] != nil }
      .map { CoveredComponent($0, [.request]) }
  }
}

extension HTTPResponseMessage {
  /// Whether the response has content to digest (RFC 9110 15.3.5: a 204 has none).
  fileprivate var hasContent: Bool { status != 204 }
}
