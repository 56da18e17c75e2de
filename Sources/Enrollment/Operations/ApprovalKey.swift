public import EnrollmentProtocol
internal import KeychainModel
internal import LocalAuthentication
internal import Security

extension EnrollmentError {
  static func noEnclaveKey(_ label: String) -> EnrollmentError {
    .keychain(
      status: errSecItemNotFound,
      "there is no key \"\(label)\" in the enclave: `latchkey enclave list` names those there are")
  }
}

extension EnrollmentClient {
  /// Makes the approval key, unless it is there, and registers it with a statement of where it lives and what guards it.
  ///
  /// The keychain needs a passcode or biometry: without them nobody can be asked, and `.keychain` says so.
  public func registerApprovalKey() -> EnrollmentOperation<DeviceStatus> {
    registerApprovalKey(label: configuration.approvalKeyLabel) { [configuration] label throws(EnrollmentError) in
      if let key = try DeviceKey.find(label: label) { return (key, isNew: false) }
      return (try DeviceKey.approval(configuration.approvalKeyGuard).make(label: label), isNew: true)
    }
  }

  /// Registers a key of the enclave that is there already, as `Examples/004-touch-id` makes it; the user is asked once, since the
  /// key vouches for itself. The enrollment uses it from then on, and never deletes it. The server refuses a second approval key.
  ///
  /// - Parameter label: the key's label; `.keychain` with `errSecItemNotFound` if there is no private key of it in the enclave.
  public func registerApprovalKey(existing label: String) -> EnrollmentOperation<DeviceStatus> {
    registerApprovalKey(label: label) { label throws(EnrollmentError) in
      guard let key = try DeviceKey.find(label: label) else { throw .noEnclaveKey(label) }
      return (key, isNew: false)
    }
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
      let status = try await messenger.send(call, as: identity.signer).decode(DeviceStatus.self)
      guard var record = try await record() else { throw EnrollmentError.notEnrolled }
      if isNew {
        record.isApprovalKeyForeign = nil
      } else if label != record.approvalKeyLabel {
        record.isApprovalKeyForeign = true
      }
      record.approvalKeyLabel = label
      record.hasApprovalKey = true
      try await save(record)
      return status
    }
  }

  /// Signs with the approval key, once the user is present. Cancelling the task ends the asking.
  func approvalSignature(of message: [UInt8], reason: String) async throws -> [UInt8] {
    let (context, label) = (LAContext(), configuration.approvalKeyLabel)
    return try await withTaskCancellationHandler {
      try await blocking { () throws(EnrollmentError) in
        guard let key = try DeviceKey.find(label: label, context: context, reason: reason) else {
          throw .noEnclaveKey(label)
        }
        return try key.signature(of: message, by: .ecdsaSignatureMessageX962SHA256)
      }
    } onCancel: {
      context.invalidate()
    }
  }

  /// A statement of the enclave about a key, bound to a challenge (CBOR).
  func attestation(ofKey label: String, challenge: [UInt8]) async throws -> [UInt8] {
    try await blocking { () throws(EnrollmentError) in
      do throws(StoreError) {
        let session = try KeychainSession.current()
        var query = ItemQuery(.key, attributes: [.label: .text(label), .isPrivate: .number(1)], synchronizable: .any)
        query.wantsEnclaveKeys = true
        guard let key = try session.store.find(query, as: session.entitlements).first?.enclaveKey,
          let enclave = session.store.enclave
        else { throw .itemNotFound }
        return try enclave.attest(key, challenge: challenge, consent: Consent(reason: "attest a key of this device"))
      } catch {
        throw .keychain(
          status: error.status, "the key \(label) cannot be attested: \(EnrollmentError.text(of: error.status))")
      }
    }
  }
}
