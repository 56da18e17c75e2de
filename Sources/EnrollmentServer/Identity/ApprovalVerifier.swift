internal import EnrollmentProtocol
internal import EnrollmentStore

/// Takes a challenge and verifies that a device's approval key signed it, inside the transaction that acts on it.
struct ApprovalVerifier: Sendable {
  let purpose: ChallengePurpose
  /// SHA-256 of what is approved.
  let content: [UInt8]?
  let now: Int64

  /// Whether `approval` answers a challenge of this purpose and content, for this device, in time and for the first time.
  /// The challenge is taken whatever comes of it: a wrong signature gets no second try.
  func verify(
    _ approval: Approval, by device: DeviceRecord, in transaction: any StoreTransaction
  ) throws -> Bool {
    false
  }
}
