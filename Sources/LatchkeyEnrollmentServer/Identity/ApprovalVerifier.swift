internal import Crypto
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Consumes a challenge and verifies that a device's approval key signed it, inside the transaction that acts on it.
struct ApprovalVerifier: Sendable {
  let purpose: ChallengePurpose
  /// SHA-256 of the approved content.
  let content: ApprovedDigest?
  let now: Int64

  /// Whether `approval` answers an unexpired and unused challenge of this purpose and content for this device. The challenge is
  /// consumed in any case: a wrong signature gets no second attempt.
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

  /// The X9.62 encoding of two 32-byte numbers, each with a leading zero byte.
  private static let longestSignature = 72
}
