/// How this product signs requests and their answers: RFC 9421 with `ecdsa-p256-sha256` over a Content-Digest of RFC 9530.
///
/// A request's signature covers `"@method" "@target-uri"`, and, where there is a body, `"content-digest" "content-type"`;
/// further `"idempotency-key"` and `"latchkey-approval"` where the request has them. Parameters: `created`, `expires`,
/// `nonce`, `keyid`, `alg`, `tag`. A response's covers `"@status"`, `"content-digest"`, `"content-type"` where there is
/// one, and the request's `"signature";req` or, for a request without one, `"@method";req "@target-uri";req`.
public enum SealedProfile {
  /// What a verified signature said of itself.
  public struct Verified: Sendable, Hashable {
    /// Who signed: the parameter `keyid`.
    public var keyID: String
    /// When, in seconds since 1970.
    public var created: Int64
    /// The end of its validity, in seconds since 1970.
    public var expires: Int64
    /// What must not come twice from one signer while the window is open.
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

  /// Adds `Content-Digest`, `Signature-Input` and `Signature` to a request.
  ///
  /// - Parameters:
  ///   - request: with all fields that are to be covered; afterwards with the three.
  ///   - body: the bytes of the body; empty for none.
  ///   - keyID: how the verifier finds the key: the device's identifier.
  ///   - nonce: fresh, at least 128 bit, base64url.
  ///   - now: seconds since 1970.
  ///   - sign: signs a message (the signature base) with ECDSA P-256 and SHA-256; gives X9.62 DER, as `SecKey` does.
  public static func sign(
    _ request: inout HTTPRequestMessage, body: [UInt8], keyID: String, nonce: String, now: Int64,
    window: Window = Window(), by sign: (_ message: [UInt8]) throws -> [UInt8]
  ) throws {
    throw SealedMessageError.misuse("not there yet")
  }

  /// Verifies a request: digest, coverage, clock, signature.
  ///
  /// - Parameter publicKey: X9.63 (65 bytes) of the key that `keyid` names; nil when there is none.
  /// - Returns: what the signature said; the caller sees to the nonce.
  public static func verify(
    _ request: HTTPRequestMessage, body: [UInt8], now: Int64, window: Window = Window(),
    publicKey: (_ keyID: String) throws(SealedMessageError) -> [UInt8]?
  ) throws(SealedMessageError) -> Verified {
    throw .misuse("not there yet")
  }

  /// Adds `Content-Digest`, `Signature-Input` and `Signature` to the answer to `request`.
  public static func sign(
    _ response: inout HTTPResponseMessage, body: [UInt8], to request: HTTPRequestMessage, keyID: String, now: Int64,
    by sign: (_ message: [UInt8]) throws -> [UInt8]
  ) throws {
    throw SealedMessageError.misuse("not there yet")
  }

  /// Verifies that `response` is the signed answer to just this request.
  public static func verify(
    _ response: HTTPResponseMessage, body: [UInt8], to request: HTTPRequestMessage, now: Int64,
    window: Window = Window(), publicKey: (_ keyID: String) throws(SealedMessageError) -> [UInt8]?
  ) throws(SealedMessageError) -> Verified {
    throw .misuse("not there yet")
  }
}
