/// An ACME order, with its one authorization and its one challenge (RFC 8555 7.1.3). What the order's device got is with its
/// enrollment token's registration.
public struct ACMEOrderRecord: Sendable, Hashable {
  /// SHA-256 of the name in the order's URL, which is not stored.
  public var id: [UInt8]
  /// The account's key, X9.63.
  public var account: [UInt8]
  /// SHA-256 of the enrollment token.
  public var token: [UInt8]
  /// The order's identifier, the enrollment token, encrypted under the order's name: the store alone does not reveal it.
  public var identifier: [UInt8]
  /// The name of the profile whose directory was used; nil: the token's alone.
  public var profile: String?
  /// The random bytes of the challenge's token.
  public var challenge: [UInt8]
  /// Its end, in seconds since 1970.
  public var expires: Int64
  /// What became of the challenge; nil while it is not answered.
  public var outcome: Outcome?
  /// When it was answered, in seconds since 1970.
  public var answered: Int64?
  /// The accepted signing request, DER; nil before.
  public var signingRequest: [UInt8]?

  /// What became of a challenge.
  public enum Outcome: Sendable, Hashable {
    /// The attestation was refused.
    case refused
    /// The attestation proved this: the key, X9.63, the evidence as in ``DeviceRecord/identityEvidence``, and what names the device, such
    /// as its serial number: none, or texts without spaces.
    case attested(key: [UInt8], evidence: String, identifiers: [String] = [])
  }

  /// Creates an order whose challenge is not answered.
  public init(
    id: [UInt8], account: [UInt8], token: [UInt8], identifier: [UInt8], profile: String?, challenge: [UInt8],
    expires: Int64
  ) {
    self.id = id
    self.account = account
    self.token = token
    self.identifier = identifier
    self.profile = profile
    self.challenge = challenge
    self.expires = expires
  }
}
