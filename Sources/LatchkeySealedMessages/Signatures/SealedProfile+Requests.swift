extension SealedProfile {
  /// Signs a request: adds `Content-Digest`, `Signature-Input` and `Signature`, replacing such fields in the request.
  ///
  /// - Parameters:
  ///   - request: the request with all fields to cover; the three fields are added to it.
  ///   - body: the bytes of the body; empty for none.
  ///   - keyID: the key's name for the verifier: the device's identifier.
  ///   - nonce: fresh, at least 128 bits, base64url.
  ///   - now: seconds since 1970.
  ///   - sign: signs a message (the signature base) with ECDSA P-256 and SHA-256 and returns X9.62 DER, as `SecKey` does.
  /// - Throws: `.misuse`; errors of `sign`.
  public static func sign(
    _ request: inout HTTPRequestMessage, body: [UInt8], keyID: String, nonce: String, now: Int64,
    window: Window = Window(), by sign: (_ message: [UInt8]) throws -> [UInt8]
  ) throws {
    try Self.sign(
      &request, contentDigest: body.isEmpty ? nil : ContentDigest.value(of: body), keyID: keyID, nonce: nonce, now: now,
      window: window, by: sign)
  }

  /// The same for a body of which only the digest is at hand, such as a large file's.
  ///
  /// - Parameter contentDigest: the value of `Content-Digest`; nil for no body.
  package static func sign(
    _ request: inout HTTPRequestMessage, contentDigest: String?, keyID: String, nonce: String, now: Int64,
    window: Window = Window(), by sign: (_ message: [UInt8]) throws -> [UInt8]
  ) throws {
    guard isNonce(nonce) else { throw SealedMessageError.misuse("give a nonce of at least 128 bits in base64url") }
    guard contentDigest == nil || request.fields["content-type"] != nil else {
      throw SealedMessageError.misuse("say the Content-Type of a body before it is signed")
    }
    var signed = request
    prepare(&signed.fields, contentDigest: contentDigest)
    let input = try SignatureInput(
      requestCoverage(signed.fields, hasBody: contentDigest != nil), created: now, expires: window.end(from: now),
      nonce: nonce,
      algorithm: SignatureAlgorithm.ecdsaP256SHA256.rawValue, keyID: try checked(keyID), tag: requestTag)
    try add(input, to: &signed.fields, signature: sign(SignatureBase.bytes(input, over: .request(signed))))
    request = signed
  }

  /// Verifies a request: digest, coverage, clock, signature.
  ///
  /// - Parameter publicKey: returns the key that `keyid` names, in X9.63 form (65 bytes); nil if unknown.
  /// - Returns: the verified claims; the caller checks the nonce for replay.
  public static func verify(
    _ request: HTTPRequestMessage, body: [UInt8], now: Int64, window: Window = Window(),
    publicKey: (_ keyID: String) throws(SealedMessageError) -> [UInt8]?
  ) throws(SealedMessageError) -> Verified {
    let entry = try entry(of: request.fields, tag: requestTag)
    guard let nonce = entry.input.nonce, isNonce(nonce) else { throw .malformed("signature-input: no proper nonce") }
    try check(entry.input, covers: requestCoverage(request.fields, hasBody: !body.isEmpty), in: request.fields)
    let claims = try claims(entry.input, nonce: nonce, now: now, window: window)
    if let digest = request.fields["content-digest"] { try ContentDigest.verify(digest, of: body) }
    return claims.verified(by: try check(entry, over: .request(request), publicKey: publicKey(claims.keyID)))
  }

  /// The components that a request's signature must cover: a body's digest and type always, the other fields if present.
  private static func requestCoverage(_ fields: HTTPFields, hasBody: Bool) -> [CoveredComponent] {
    [CoveredComponent("@method"), CoveredComponent("@target-uri")]
      + ["content-digest", "content-type"].filter { hasBody || fields[$0] != nil }.map { CoveredComponent($0) }
      + ["idempotency-key", "latchkey-approval"].filter { fields[$0] != nil }.map { CoveredComponent($0) }
  }
}
