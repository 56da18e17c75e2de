/// This product's profile for signing requests and answers: RFC 9421 with `ecdsa-p256-sha256` over a Content-Digest of RFC
/// 9530.
///
/// A request's signature covers `"@method" "@target-uri"`, with a body also `"content-digest" "content-type"`, and
/// `"idempotency-key"` and `"latchkey-approval"` if the request has them. Parameters: `created`, `expires`, `nonce`, `keyid`,
/// `alg`, `tag`. A response's signature covers `"@status"`, `"content-digest"` (optional for a 204, which has no content),
/// `"content-type"`, `"idempotency-replayed"` and `"retry-after"` if present, and of the request `"@method";req
/// "@target-uri";req` and, if present, `"content-digest";req` and `"signature";req`. An unsigned request requests a signed
/// answer by `Accept-Signature`; the answer's signature then carries its nonce.
///
/// A message may have other signatures, and a signature may cover more: exactly one must have the profile's tag. Each required
/// field is one line, and the input has RFC 9651's canonical form, so that it has exactly one encoding. A signature is the 64
/// bytes of r and s.
public enum SealedProfile {
  /// The claims of a verified signature.
  public struct Verified: Sendable, Hashable {
    /// The signer: the parameter `keyid`.
    public var keyID: String
    /// The key that verified the signature: X9.63, 65 bytes.
    public var publicKey: [UInt8]
    /// The time of signing, in seconds since 1970.
    public var created: Int64
    /// The expiry, in seconds since 1970.
    public var expires: Int64
    /// The value that one signer must not repeat while the window is open; in a response, the value that the request asked for,
    /// empty if none.
    public var nonce: String
  }

  /// The accepted age of a signature, and its distance from the verifier's clock.
  public struct Window: Sendable, Hashable {
    /// The maximum distance of `created` from now, before or after, in seconds.
    public var skew: Int64
    /// The maximum time from `created` to `expires`, in seconds.
    public var lifetime: Int64

    /// Creates a window; the default is 300 s each.
    public init(skew: Int64 = 300, lifetime: Int64 = 300) {
      self.skew = skew
      self.lifetime = lifetime
    }
  }

  /// The tag of requests.
  public static let requestTag = "latchkey-request"
  /// The tag of responses.
  public static let responseTag = "latchkey-response"
}
