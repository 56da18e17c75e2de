internal import Foundation
internal import LatchkeyEnrollmentProtocol
internal import Security

extension EnrollmentClient {
  /// Requests a new certificate over the old one, for the same identity key. Happens automatically when a third of its validity
  /// is left.
  ///
  /// - Parameter changingKey: whether to change the identity key, too: a new one is created in the enclave, and the server
  ///   revokes every certificate of the old one at once, so that a thief of the old key has nothing. A change whose response
  ///   was lost is finished by the next operation.
  public func renew(changingKey: Bool = false) -> EnrollmentOperation<EnrolledIdentity> {
    operation(.renewal) { [self] in
      guard let identity = try await identity(), let record = try await record() else {
        throw EnrollmentError.notEnrolled
      }
      guard identity.isValid(at: configuration.clock()) else { throw EnrollmentError.identityExpired }
      let isChanging = changingKey || record.isChangingKey == true
      return try await renewals.once { [self] in try await renewed(identity, changingKey: isChanging) }
    }
  }

  /// Revokes this device at the server, and deletes its items from the keychain: certificate, credential and both keys.
  /// Everything stays unless the server confirms the revocation under its signature: ``EnrollmentError/cannotVerify(_:)`` then,
  /// and ``forget()`` deletes without the server.
  public func revoke() -> EnrollmentOperation<Void> {
    operation(.revocation) { [self] in
      guard let identity = try await identity() else { throw EnrollmentError.notEnrolled }
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

  /// Deletes this enrollment's certificate, credential and both keys from the keychain without contacting the server: the
  /// device stays there until its certificate expires, or is revoked. Unresolved transfers stay.
  public func forget() async throws(EnrollmentError) { try await forgetAll() }

  /// The device with a new certificate.
  func renewed(_ identity: EnrolledIdentity, changingKey: Bool = false) async throws -> EnrolledIdentity {
    guard var record = try await record() else { throw EnrollmentError.notEnrolled }
    var key = identity.identity.key
    if changingKey {
      record.isChangingKey = true
      try await save(record)
      let label = configuration.nextIdentityKeyLabel
      // Reuses the key of an earlier attempt, since the server may have it already.
      key = try await blocking { () throws(EnrollmentError) in try DeviceKey.identity.findOrMake(label: label) }
    }
    let request = try await SigningRequest.der(for: key, commonName: identity.device)
    let call = try Call.send(
      Routes.renewal, RenewalRequest(signingRequest: Base64Bytes(request)), .certificate(answerIsSigned: true),
      isSafeTwice: true)
    let enrolled: EnrolledDevice
    do {
      enrolled = try await messenger.send(call, as: identity.signer).decode(EnrolledDevice.self)
    } catch let refusal as Refusal where changingKey && refusal.isSigned && refusal.problem.code == .invalidAttestation
    {
      // The server requires the attested key, so the next renewal is for that one.
      record.isChangingKey = nil
      try await save(record)
      throw refusal
    }
    guard enrolled.device == identity.device, enrolled.serverKeyID == record.serverKeyID else {
      throw EnrollmentError.cannotVerify("the new certificate is another device's, or of another server")
    }
    let (configuration, old, newKey) = (configuration, identity, key)
    record.pendingRegistration = nil
    try await blocking { () throws(EnrollmentError) in
      let new = try Self.credential(of: enrolled, key: newKey)
      try configuration.credentials.setDefaultCredential(new, for: configuration.identitySpace)
      try Self.delete(old, but: new, configuration)
      guard changingKey else { return }
      try DeviceKey.delete(label: configuration.identityKeyLabel)
      try DeviceKey.rename(configuration.nextIdentityKeyLabel, to: configuration.identityKeyLabel)
    }
    if changingKey {
      record.isChangingKey = nil
      try await save(record)
    }
    guard let renewed = try await self.identity() else { throw EnrollmentError.notEnrolled }
    return renewed
  }

  /// Deletes the credential of an identity, and its certificate, unless the new one shares it.
  static func delete(
    _ old: EnrolledIdentity, but new: Credential?, _ configuration: EnrollmentConfiguration
  ) throws(EnrollmentError) {
    guard old.identity != new?.identity else { return }
    try configuration.credentials.remove(old.signer.credential, for: configuration.identitySpace)
    try Items.delete([kSecClass: kSecClassCertificate, kSecValueRef: old.identity.certificate])
  }

  private func forgetAll() async throws(EnrollmentError) {
    let (configuration, identity, record) = (configuration, try await identity(), try await record())
    try await blocking { () throws(EnrollmentError) in
      if let identity { try Self.delete(identity, but: nil, configuration) }
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
