extension SealedProfile {
  /// Adds `Content-Digest`, `Signature-Input` and `Signature` to the answer to `request`, in the place of such fields that
  /// it has; an answer without content (204) gets no digest. Its validity ends after ``Window``'s default. It carries the nonce
  /// that the request asked for, if it did.
  ///
  /// - Throws: `.malformed` where ``wantsSignedAnswer(_:)`` does; `.misuse`, also for a body of an answer that has no content;
  ///   what `sign` throws.
  public static func sign(
    _ response: inout HTTPResponseMessage, body: [UInt8], to request: HTTPRequestMessage, keyID: String, now: Int64,
    by sign: (_ message: [UInt8]) throws -> [UInt8]
  ) throws {
    guard response.hasContent || body.isEmpty else {
      throw SealedMessageError.misuse("an answer with status \(response.status) has no body")
    }
    var signed = response
    prepare(&signed.fields, body: body, alwaysWithDigest: response.hasContent)
    let input = try SignatureInput(
      responseCoverage(signed, to: request), created: now, expires: Window().end(from: now),
      nonce: try wantedNonce(request), algorithm: SignatureAlgorithm.ecdsaP256SHA256.rawValue,
      keyID: try checked(keyID), tag: responseTag)
    let base = try SignatureBase.bytes(input, over: .response(signed, to: request))
    try add(input, to: &signed.fields, signature: sign(base))
    response = signed
  }

  /// Verifies that `response` is the signed answer to just this request: where the request is signed, or asked for the answer's
  /// signature with a nonce, to just this sending of it.
  public static func verify(
    _ response: HTTPResponseMessage, body: [UInt8], to request: HTTPRequestMessage, now: Int64,
    window: Window = Window(), publicKey: (_ keyID: String) throws(SealedMessageError) -> [UInt8]?
  ) throws(SealedMessageError) -> Verified {
    let entry = try entry(of: response.fields, tag: responseTag)
    try check(entry.input, covers: responseCoverage(response, to: request), in: response.fields)
    let nonce = try wantedNonce(request)
    let claims = try claims(entry.input, nonce: nonce ?? "", now: now, window: window)
    guard nonce == nil || entry.input.nonce == nonce else { throw .notAuthentic }
    if let digest = response.fields["content-digest"] {
      try ContentDigest.verify(digest, of: body)
    } else if response.hasContent {
      throw .notCovered("content-digest")
    } else if !body.isEmpty {
      throw .notAuthentic
    }
    return claims.verified(
      by: try check(entry, over: .response(response, to: request), publicKey: publicKey(claims.keyID)))
  }

  /// What a response's signature must cover. The request's signature alone would stand for all of it only as long as nobody
  /// finds a key under which the same signature proves another request (RFC 9421 7.3.7).
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
  /// Whether there is content that a digest can be of (RFC 9110 15.3.5: a 204 has none).
  fileprivate var hasContent: Bool { status != 204 }
}
