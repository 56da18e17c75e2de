internal import Foundation
internal import LatchkeyEnrollmentProtocol
internal import Security

extension EnrollmentClient {
  /// Requests a new certificate over the old one, for the same identity key. Happens automatically when a third of its validity
  /// is left.
  ///
  /// After the certificate's end, the identity key signs a challenge in its place; the server decides for how long it accepts that. The key
  /// is not changed then.
  ///
  /// - Parameter changingKey: whether to change the identity key, too: a new one is created in the enclave, and the server
  ///   revokes every certificate of the old one at once, so that a thief of the old key has nothing. The old key is deleted once the server
  ///   has accepted a request over the new certificate. A change that was interrupted is finished by the next operation.
  public func renew(changingKey: Bool = false) -> EnrollmentOperation<EnrolledIdentity> {
    operation(.renewal) { [self] in
      guard try await identity() != nil else { throw EnrollmentError.notEnrolled }
      return try await renewals.once(changingKey: changingKey) { [self] in
        try await inTurn {
          guard let identity = try await identity() else { throw EnrollmentError.notEnrolled }
          guard identity.notAfter > configuration.clock() else { return try await renewedAfterEnd(identity) }
          return try await renewed(identity, changingKey: changingKey)
        }
      }
    }
  }

  /// Revokes this device at the server, and deletes its items from the keychain: certificate, credential and both keys.
  /// Everything stays unless the server confirms the revocation under its signature: ``EnrollmentError/cannotVerify(_:)`` then,
  /// and ``forget()`` deletes without the server.
  public func revoke() -> EnrollmentOperation<Void> {
    operation(.revocation) { [self] in
      try await inTurn {
        guard let identity = try await identity() else {
          // An earlier revocation was confirmed, and ended before everything was deleted.
          guard try await record()?.isEnded == true else { throw EnrollmentError.notEnrolled }
          return try await forgetAll()
        }
        do {
          _ = try await messenger.send(
            Call(method: "POST", path: Routes.revocation, proof: .certificate(answerIsSigned: true), isSafeTwice: true),
            as: identity.signer)
        } catch let refusal as Refusal where refusal.isSigned && refusal.problem.code == .revoked {
          // An earlier try did it, or another process.
        }
        try await forgetAll()
      }
    }
  }

  /// Deletes this enrollment's certificate, credential and both keys from the keychain without contacting the server: the
  /// device stays there until its certificate expires, or is revoked. Unresolved transfers stay.
  public func forget() async throws(EnrollmentError) {
    do {
      try await inTurn { try await forgetAll() }
    } catch let error as EnrollmentError {
      throw error
    } catch {
      throw .misuse("the task that forgets the enrollment was canceled")
    }
  }

  private func forgetAll() async throws(EnrollmentError) {
    let (configuration, identity) = (configuration, try await identity())
    var record = try await record()
    if record != nil, record?.isEnded != true {
      // Without the certificate nothing else would say that the rest is to be deleted. On a full disk this fails before anything is lost.
      record?.isEnded = true
      if let record { try await save(record) }
    }
    try await blocking { [record] () throws(EnrollmentError) in
      if let identity, let record { try Self.deleteCredentials(of: identity, but: nil, record, configuration) }
      try DeviceKey.delete(label: configuration.identityKeyLabel)
      try DeviceKey.delete(label: configuration.nextIdentityKeyLabel)
      // A key that existed before its registration does not belong to the enrollment.
      try DeviceKey.delete(label: EnrollmentConfiguration.approvalKeyPrefix + configuration.label)
      if record?.isApprovalKeyForeign != true { try DeviceKey.delete(label: configuration.approvalKeyLabel) }
      try EnrollmentRecord.delete(label: configuration.label)
    }
    await close()
  }
}
