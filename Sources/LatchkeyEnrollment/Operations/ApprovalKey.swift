internal import Foundation
public import LatchkeyEnrollmentProtocol
internal import LatchkeyKeychainModel
internal import LocalAuthentication
internal import Security

extension EnrollmentError {
  static func noEnclaveKey(_ label: String) -> EnrollmentError {
    .keychain(
      status: errSecItemNotFound,
      "there is no key \"\(label)\" in the enclave: `latchkey enclave list` names those there are")
  }

  /// The error for a key that signs without user presence, and so must not approve.
  static func unguardedKey(_ label: String) -> EnrollmentError {
    .misuse(
      "the key \"\(label)\" asks for no consent when it is used, so it cannot approve: make one that asks you, "
        + "`latchkey enclave create LABEL --guard user-presence`, and name that")
  }
}

extension EnrollmentClient {
  /// Creates the approval key if it is missing, and registers it with an attestation of its location and guard.
  ///
  /// The keychain needs a passcode or biometry: without them no prompt is possible, and `.keychain` reports that.
  public func registerApprovalKey() -> EnrollmentOperation<DeviceStatus> {
    registerApprovalKey(label: configuration.approvalKeyLabel) { [configuration] label throws(EnrollmentError) in
      if let key = try DeviceKey.find(label: label) {
        try DeviceKey.requireApproving(label: label)
        return (key, isNew: false)
      }
      return (try DeviceKey.approval(configuration.approvalKeyGuard).make(label: label), isNew: true)
    }
  }

  /// Registers an existing key of the enclave, as in `Examples/004-touch-id`. There is one prompt, since the key signs its own
  /// attestation. The enrollment uses the key from then on, and never deletes it. The server refuses a second approval key. A
  /// key that ``requireApprovalKey(existing:)`` refuses is refused before anything is sent.
  ///
  /// - Parameter label: the key's label.
  public func registerApprovalKey(existing label: String) -> EnrollmentOperation<DeviceStatus> {
    registerApprovalKey(label: label) { label throws(EnrollmentError) in
      try DeviceKey.requireApproving(label: label)
      guard let key = try DeviceKey.find(label: label) else { throw .noEnclaveKey(label) }
      return (key, isNew: false)
    }
  }

  /// Verifies that ``registerApprovalKey(existing:)`` could register a key, without a prompt and even before there is an
  /// enrollment: it is in the enclave, and each use requires the user, by biometry or the passcode. Identity keys require no
  /// user.
  ///
  /// - Throws: `.keychain` with `errSecItemNotFound` if there is no such key in the enclave; `.misuse` if it requires no user.
  public func requireApprovalKey(existing label: String) async throws(EnrollmentError) {
    try await blocking { () throws(EnrollmentError) in try DeviceKey.requireApproving(label: label) }
  }

  private func registerApprovalKey(
    label: String, key: @escaping @Sendable (String) throws(EnrollmentError) -> (SecKey, isNew: Bool)
  ) -> EnrollmentOperation<DeviceStatus> {
    operation(.approvalKey) { [self] in
      let identity = try await validIdentity()
      let (point, isNew) = try await blocking { () throws(EnrollmentError) in
        let (key, isNew) = try key(label)
        return (try key.publicKeyX963(), isNew)
      }
      var mayBeRegistered = false
      let status: DeviceStatus
      do {
        let asked = try Call.send(
          Routes.challenges, ChallengeRequest(purpose: .attestation, device: identity.device),
          .certificate(answerIsSigned: false), isSafeTwice: true)
        let challenge = try await messenger.send(asked, as: identity.signer).decode(Challenge.self)
        let statement = try await attestation(ofKey: label, challenge: challenge.value.bytes)
        let call = try Call.send(
          Routes.approvalKey,
          ApprovalKeyRegistration(
            publicKey: Base64Bytes(point), challengeID: challenge.id, attestation: Base64Bytes(statement)),
          .certificate(answerIsSigned: true), method: "PUT")
        mayBeRegistered = true
        status = try await messenger.send(call, as: identity.signer).decode(DeviceStatus.self)
      } catch {
        if let refusal = error as? Refusal { mayBeRegistered = mayBeRegistered && !refusal.isDecided }
        // The server does not know this new key, so the next attempt creates another, with the guard that is configured then.
        if isNew, !mayBeRegistered {
          try await blocking { () throws(EnrollmentError) in try DeviceKey.delete(label: label) }
        }
        throw error
      }
      guard var record = try await record() else { throw EnrollmentError.notEnrolled }
      if isNew {
        record.isApprovalKeyForeign = nil
      } else if label != record.approvalKeyLabel {
        record.isApprovalKeyForeign = true
      }
      record.approvalKeyLabel = label
      record.hasApprovalKey = true
      record.approvalKey = Data(point)
      try await save(record)
      return status
    }
  }

  /// A signature of the approval key.
  struct ApprovalSignature: Sendable {
    let bytes: [UInt8]
    /// The key's public half, X9.63.
    let publicKey: [UInt8]
  }

  /// Signs with the approval key, once the user is present. Canceling the task ends the prompt.
  ///
  /// - Throws: before the prompt, if the key is not the one that was registered.
  func approvalSignature(of message: [UInt8], reason: String) async throws -> ApprovalSignature {
    let (configuration, context) = (configuration, LAContext())
    let record = try await record()
    return try await withTaskCancellationHandler {
      try await blocking { () throws(EnrollmentError) in
        let key = try Self.approvalKey(record, configuration, context, reason: reason)
        return ApprovalSignature(
          bytes: try key.signature(of: message, by: .ecdsaSignatureMessageX962SHA256),
          publicKey: try key.publicKeyX963())
      }
    } onCancel: {
      context.invalidate()
    }
  }

  /// The enclave's attestation of a key, bound to a challenge (CBOR).
  func attestation(ofKey label: String, challenge: [UInt8]) async throws -> [UInt8] {
    try await blocking { () throws(EnrollmentError) in
      do throws(StoreError) {
        let session = try KeychainSession.current()
        guard let key = try DeviceKey.inEnclave(label: label, session).first, let enclave = session.store.enclave else {
          throw .itemNotFound
        }
        return try enclave.attest(key, challenge: challenge, consent: Consent(reason: "attest a key of this device"))
      } catch {
        throw .keychain(status: error.status, "the key \"\(label)\" cannot be attested: \(error)")
      }
    }
  }
}

extension DeviceKey {
  /// The private keys of the enclave with this label, the oldest first.
  static func inEnclave(label: String, _ session: KeychainSession) throws(StoreError) -> [EnclaveKey] {
    var query = ItemQuery(
      .key, attributes: [.label: .text(label), .isPrivate: .number(1)], synchronizable: .any, limit: nil)
    query.wantsEnclaveKeys = true
    return try session.store.find(query, as: session.entitlements).compactMap(\.enclaveKey)
  }

  /// The private keys of the enclave with this label, in the calling session.
  static func inEnclave(label: String) throws(EnrollmentError) -> [EnclaveKey] {
    do throws(StoreError) {
      return try inEnclave(label: label, KeychainSession.current())
    } catch .itemNotFound {
      return []
    } catch {
      throw .keychain(status: error.status, "\(error)")
    }
  }

  /// - Throws: unless there is a key with this label in the enclave, and each use of it requires the user.
  static func requireApproving(label: String) throws(EnrollmentError) {
    let keys = try inEnclave(label: label)
    guard !keys.isEmpty else { throw .noEnclaveKey(label) }
    // If several keys share a label, any of them may be used to sign.
    guard keys.allSatisfy(\.control.asksForUser) else { throw .unguardedKey(label) }
  }
}
