extension SealedProfile {
  /// Adds `Content-Digest`, `Signature-Input` and `Signature` to a request, in the place of such fields that it has.
  ///
  /// - Parameters:
  ///   - request: with all fields that are to be covered; afterwards with the three.
  ///   - body: the bytes of the body; empty for none.
  ///   - keyID: how the verifier finds the key: the device's identifier.
  ///   - nonce: fresh, at least 128 bit, base64url.
  ///   - now: seconds since 1970.
  ///   - sign: signs a message (the signature base) with ECDSA P-256 and SHA-256; gives X9.62 DER, as `SecKey` does.
  /// - Throws: `.misuse`; what `sign` throws.
  public static func sign(
    _ request: inout HTTPRequestMessage, body: [UInt8], keyID: String, nonce: String, now: Int64,
    window: Window = Window(), by sign: (_ message: [UInt8]) throws -> [UInt8]
  ) throws {
    guard isNonce(nonce) else { throw SealedMessageError.misuse("give a nonce of at least 128 bits in base64url") }
    guard body.isEmpty || request.fields["content-type"] != nil else {
      throw SealedMessageError.misuse("say the Content-Type of a body before it is signed")
    }
    var signed = request
    prepare(&signed.fields, body: body, alwaysWithDigest: false)
    let input = try SignatureInput(
      requestCoverage(signed.fields, body: body), created: now, expires: window.end(from: now), nonce: nonce,
      algorithm: SignatureAlgorithm.ecdsaP256SHA256.rawValue, keyID: try checked(keyID), tag: requestTag)
    try add(input, to: &signed.fields, signature: sign(SignatureBase.bytes(input, over: .request(signed))))
    request = signed
  }

  /// Verifies a request: digest, coverage, clock, signature.
  ///
  /// - Parameter publicKey: X9.63 (65 bytes) of the key that `keyid` names; nil when there is none.
  /// - Returns: what the signature said; the caller sees to the nonce.
  public static func verify(
    _ request: HTTPRequestMessage, body: [UInt8], now: Int64, window: Window = Window(),
    publicKey: (_ keyID: String) throws(SealedMessageError) -> [UInt8]?
  ) throws(SealedMessageError) -> Verified {
    let entry = try entry(of: request.fields, tag: requestTag)
    guard let nonce = entry.input.nonce, isNonce(nonce) else { throw .malformed("signature-input: no proper nonce") }
    try check(entry.input, covers: requestCoverage(request.fields, body: body), in: request.fields)
    let claims = try claims(entry.input, nonce: nonce, now: now, window: window)
    if let digest = request.fields["content-digest"] { try ContentDigest.verify(digest, of: body) }
    return claims.verified(by: try check(entry, over: .request(request), publicKey: publicKey(claims.keyID)))
  }

  /// What a request's signature must cover: a body's digest and type always, the others where they are.
  private static func requestCoverage(_ fields: HTTPFields, body: [UInt8]) -> [CoveredComponent] {
    [CoveredComponent("@method"), CoveredComponent("@target-uri")]
      + ["content-digest", "content-type"].filter { !body.isEmpty || fields[$0] != nil }.map { CoveredComponent($0) }
      + ["idempotency-key", "latchkey-approval"].filter { fields[$0] != nil }.map { CoveredComponent($0) }
  }
}
