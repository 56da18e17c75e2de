/// How this product signs requests and their answers: RFC 9421 with `ecdsa-p256-sha256` over a Content-Digest of RFC 9530.
///
/// A request's signature covers `"@method" "@target-uri"`, and, where there is a body, `"content-digest" "content-type"`;
/// further `"idempotency-key"` and `"latchkey-approval"` where the request has them. Parameters: `created`, `expires`,
/// `nonce`, `keyid`, `alg`, `tag`. A response's covers `"@status"`, `"content-digest"` (a 204 has no content and may do
/// without), `"content-type"`, `"idempotency-replayed"` and `"retry-after"` where they are, and of the request `"@method";req "@target-uri";req` and, where it has
/// them, `"content-digest";req` and `"signature";req`. A request that is not signed asks for a signed answer by
/// `Accept-Signature`, whose nonce the answer's signature then carries.
///
/// A message may have more signatures, and a signature may cover more: just one must have the profile's tag. Each field
/// that must be covered stands in one line, and the input is written in RFC 9651's one way, so that no byte of it can be
/// another. A signature is the 64 bytes of r and s.
public enum SealedProfile {
  /// What a verified signature said of itself.
  public struct Verified: Sendable, Hashable {
    /// Who signed: the parameter `keyid`.
    public var keyID: String
    /// The key that the signature was verified with: X9.63, 65 bytes.
    public var publicKey: [UInt8]
    /// When, in seconds since 1970.
    public var created: Int64
    /// The end of its validity, in seconds since 1970.
    public var expires: Int64
    /// What must not come twice from one signer while the window is open; for a response what the request asked for, empty
    /// if it asked for none.
    public var nonce: String
  }

  /// How long, in seconds, and how far from the verifier's clock a signature counts.
  public struct Window: Sendable, Hashable {
    /// Seconds that `created` may lie before or after now.
    public var skew: Int64
    /// The longest time from `created` to `expires`, in seconds.
    public var lifetime: Int64

    /// 300 s each.
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
