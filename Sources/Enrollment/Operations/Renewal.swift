internal import EnrollmentProtocol
internal import Foundation
internal import Security

extension EnrollmentClient {
  /// Gets a new certificate for the identity key, over the old one. Happens by itself when a third of its life is left.
  public func renew() -> EnrollmentOperation<EnrolledIdentity> {
    operation(.renewal) { [self] in
      guard let identity = try await identity() else { throw EnrollmentError.notEnrolled }
      guard identity.isValid(at: configuration.clock()) else { throw EnrollmentError.identityExpired }
      return try await renewals.once { [self] in try await renewed(identity) }
    }
  }

  /// Ends this device at the server, and deletes what the keychain has of it: certificate, credential and both keys.
  public func revoke() -> EnrollmentOperation<Void> {
    operation(.revocation) { [self] in
      guard let identity = try await identity() else { throw EnrollmentError.notEnrolled }
      do {
        _ = try await messenger.send(
          Call(method: "POST", path: Routes.revocation, proof: .certificate(answerIsSigned: true), isSafeTwice: true),
          as: identity.signer)
      } catch let refusal as Refusal where refusal.problem.code == .revoked {
        // An earlier try did it, or somebody else.
      }
      try await forget(identity)
    }
  }

  /// The device with a new certificate.
  func renewed(_ identity: EnrolledIdentity) async throws -> EnrolledIdentity {
    guard var record = try await record() else { throw EnrollmentError.notEnrolled }
    let key = identity.identity.key
    let request = try await SigningRequest.der(for: key, commonName: identity.device)
    let call = try Call.send(
      Routes.renewal, RenewalRequest(signingRequest: Base64Bytes(request)), .certificate(answerIsSigned: true),
      isSafeTwice: true)
    let enrolled = try await messenger.send(call, as: identity.signer).decode(EnrolledDevice.self)
    guard enrolled.device == identity.device, enrolled.serverKeyID == record.serverKeyID else {
      throw EnrollmentError.cannotVerify("the new certificate is another device's, or of another server")
    }
    let (configuration, old) = (configuration, identity)
    record.pendingRegistration = nil
    try await blocking { () throws(EnrollmentError) in
      let new = try Self.credential(of: enrolled, key: key)
      try configuration.credentials.setDefaultCredential(new, for: configuration.identitySpace)
      try Self.delete(old, but: new, configuration)
    }
    guard let renewed = try await self.identity() else { throw EnrollmentError.notEnrolled }
    return renewed
  }

  /// Takes the credential of an identity away, and its certificate, unless it is the new one's.
  static func delete(
    _ old: EnrolledIdentity, but new: Credential?, _ configuration: EnrollmentConfiguration
  ) throws(EnrollmentError) {
    guard old.identity != new?.identity else { return }
    try configuration.credentials.remove(old.signer.credential, for: configuration.identitySpace)
    try Items.delete([kSecClass: kSecClassCertificate, kSecValueRef: old.identity.certificate])
  }

  private func forget(_ identity: EnrolledIdentity) async throws(EnrollmentError) {
    let configuration = configuration
    try await blocking { () throws(EnrollmentError) in
      try Self.delete(identity, but: nil, configuration)
      try DeviceKey.delete(label: configuration.identityKeyLabel)
      try DeviceKey.delete(label: configuration.approvalKeyLabel)
      try EnrollmentRecord.delete(label: configuration.label)
    }
    await close()
  }
}
