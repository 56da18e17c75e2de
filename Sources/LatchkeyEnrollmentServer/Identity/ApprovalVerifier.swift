internal import Crypto
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Takes a challenge and verifies that a device's approval key signed it, inside the transaction that acts on it.
struct ApprovalVerifier: Sendable {
  let purpose: ChallengePurpose
  /// SHA-256 of what is approved.
  let content: ApprovedDigest?
  let now: Int64

  /// Whether `approval` answers a challenge of this purpose and content, for this device, in time and for the first time.
  /// The challenge is taken whatever comes of it: a wrong signature gets no second try.
  func verify(
    _ approval: Approval, by device: DeviceRecord, in transaction: any StoreTransaction
  ) throws -> Bool {
    guard let id = Identifier(approval.challengeID), let taken = try transaction.takeChallenge(id, now: now),
      taken.device == device.id, taken.purpose == purpose, taken.content == content, let key = device.approvalKey
    else { return false }
    return Self.isSigned(
      approval.signature.bytes, challenge: taken, purpose: purpose, content: content, publicKey: key)
  }

  /// Whether `signature` is the key's over the challenge's message (``Challenge/signedMessage(purpose:content:)``).
  ///
  /// - Parameter publicKey: X9.63 of a key of P-256.
  static func isSigned(
    _ signature: [UInt8], challenge: ChallengeRecord, purpose: ChallengePurpose, content: ApprovedDigest?,
    publicKey: [UInt8]
  ) -> Bool {
    guard signature.count <= longestSignature,
      let key = try? P256.Signing.PublicKey(x963Representation: publicKey),
      let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
    else { return false }
    let message = Challenge(id: challenge.id.description, value: Base64Bytes(challenge.value), expiresIn: 0)
      .signedMessage(purpose: purpose, content: content?.bytes)
    return key.isValidSignature(signature, for: message)
  }

  /// X9.62 of two numbers of 32 bytes, each with a byte that keeps it positive.
  private static let longestSignature = 72
}
