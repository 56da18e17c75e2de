public import LatchkeyEnrollmentProtocol

/// A challenge that was given out.
public struct ChallengeRecord: Sendable, Hashable {
  /// Its name.
  public var id: Identifier
  /// 32 random bytes.
  public var value: [UInt8]
  /// The device it is for.
  public var device: Identifier
  /// What it is for.
  public var purpose: ChallengePurpose
  /// SHA-256 of what is approved.
  public var content: ApprovedDigest?
  /// Its end.
  public var expires: Int64

  /// A challenge.
  public init(
    id: Identifier, value: [UInt8], device: Identifier, purpose: ChallengePurpose, content: ApprovedDigest?,
    expires: Int64
  ) {
    self.id = id
    self.value = value
    self.device = device
    self.purpose = purpose
    self.content = content
    self.expires = expires
  }
}
