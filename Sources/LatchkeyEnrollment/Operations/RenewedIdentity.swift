internal import Crypto
internal import Foundation
internal import LatchkeyEnrollmentProtocol
internal import Security

// The steps of a renewal. At each of them the process may end: what is in the keychain then is a device that works, or that the next
// renewal makes work.

/// A step of a change of the identity key that has been taken; tests end there.
package enum KeyChangeStep: CaseIterable, Sendable {
  /// The record says that a change is under way.
  case noted
  /// The new key is in the enclave.
  case keyMade
  /// The server has answered with the new certificate, and has ended the old ones.
  case answered
  /// The new certificate is in the keychain, beside the old one.
  case stored
  /// The server has accepted a request over the new certificate.
  case proved
  /// The old certificate is deleted.
  case oldCertificateDeleted
  /// The old key is deleted.
  case oldKeyDeleted
  /// The new key has the old one's label.
  case renamed
}

extension EnrollmentClient {
  /// The device with a new certificate, over one that counts.
  ///
  /// - Parameter changingKey: whether to begin a change of the key; one that was begun is finished in any case.
  func renewed(_ identity: EnrolledIdentity, changingKey: Bool = false) async throws -> EnrolledIdentity {
    guard let record = try await record() else { throw EnrollmentError.notEnrolled }
    let (configuration, nextLabel) = (configuration, configuration.nextIdentityKeyLabel)
    var next = try await blocking { () throws(EnrollmentError) in try DeviceKey.find(label: nextLabel) }
    if record.isChangingKey == true, try await isChanged(identity, next) {
      // The certificate in use is the new key's: an earlier process ended before the change did.
      let finished = try await finishChange(to: identity)
      guard changingKey || finished.isDue(at: configuration.clock(), fraction: configuration.renewalFraction) else {
        return finished
      }
      return try await renewed(finished, changingKey: changingKey)
    }
    let isChanging = changingKey || (record.isChangingKey == true && next != nil)
    if isChanging {
      try await noteChange(true)
      try configuration.reached(.noted)
      if next == nil {
        next = try await blocking { () throws(EnrollmentError) in try DeviceKey.identity.make(label: nextLabel) }
      }
      try configuration.reached(.keyMade)
    } else if record.isChangingKey == true {
      try await noteChange(nil)
    }
    let key = (isChanging ? next : nil) ?? identity.identity.key
    let request = try await SigningRequest.der(for: key, commonName: identity.device)
    let call = try Call.send(
      Routes.renewal, RenewalRequest(signingRequest: Base64Bytes(request)), .certificate(answerIsSigned: true),
      isSafeTwice: true)
    let enrolled: EnrolledDevice
    do {
      enrolled = try await messenger.send(call, as: identity.signer).decode(EnrolledDevice.self)
    } catch let refusal as Refusal where isChanging && refusal.isSigned && refusal.problem.code == .invalidAttestation {
      // The server requires the attested key, so the next renewal is for that one.
      try await noteChange(nil)
      throw refusal
    }
    if isChanging { try configuration.reached(.answered) }
    let new = try await store(enrolled, for: key, in: record, replacing: isChanging ? nil : identity)
    guard isChanging else { return new }
    try configuration.reached(.stored)
    return try await finishChange(to: new)
  }

  /// The device with a new certificate, after the end of the one it has.
  func renewedAfterEnd(_ identity: EnrolledIdentity) async throws -> EnrolledIdentity {
    guard let record = try await record() else { throw EnrollmentError.notEnrolled }
    let nextLabel = configuration.nextIdentityKeyLabel
    var keys = [identity.identity.key]
    // If the answer to a change of the key was lost, the server has the new one.
    if record.isChangingKey == true,
      let next = try await blocking({ () throws(EnrollmentError) in try DeviceKey.find(label: nextLabel) })
    {
      keys.insert(next, at: 0)
    }
    for (index, key) in keys.enumerated() {
      do {
        let enrolled = try await renewalAfterEnd(of: identity, by: key)
        let new = try await store(
          enrolled, for: key, in: record, replacing: record.isChangingKey == true ? nil : identity)
        return record.isChangingKey == true && index == 0 && keys.count > 1 ? try await finishChange(to: new) : new
      } catch let refusal as Refusal where refusal.problem.code == .notAuthenticated && index + 1 < keys.count {
        continue
      } catch let refusal as Refusal
        where refusal.problem.code == .malformedRequest || refusal.problem.code == .notFound
      {
        // A server that knows no such renewal.
        throw EnrollmentError.identityExpired
      }
    }
    throw EnrollmentError.identityExpired
  }

  /// Proves the possession of the identity key, in the place of a certificate that counts.
  private func renewalAfterEnd(of identity: EnrolledIdentity, by key: SecKey) async throws -> EnrolledDevice {
    let request = try await SigningRequest.der(for: key, commonName: identity.device)
    let digest = Array(SHA256.hash(data: request))
    let asked = try Call.send(
      Routes.challenges,
      ChallengeRequest(purpose: .renewal, device: identity.device, content: Base64Bytes(digest)), .none,
      isSafeTwice: true)
    let challenge = try await messenger.send(asked).decode(Challenge.self)
    let message = challenge.signedMessage(purpose: .renewal, content: digest)
    let signature = try await blocking { () throws(EnrollmentError) in
      try key.signature(of: message, by: .ecdsaSignatureMessageX962SHA256)
    }
    // Not repeated: the challenge is good once.
    let call = try Call.send(
      Routes.expiredRenewal,
      ExpiredRenewal(
        device: identity.device, challengeID: challenge.id, signature: Base64Bytes(signature),
        signingRequest: Base64Bytes(request)), .content)
    return try await messenger.send(call, as: identity.signer).decode(EnrolledDevice.self)
  }

  /// Stores a renewed certificate, if it is this device's, of this key, and counts now.
  ///
  /// - Parameter old: the identity to delete; nil for one that is needed still.
  private func store(
    _ enrolled: EnrolledDevice, for key: SecKey, in record: EnrollmentRecord, replacing old: EnrolledIdentity?
  ) async throws -> EnrolledIdentity {
    guard enrolled.device == record.device, enrolled.serverKeyID == record.serverKeyID else {
      throw EnrollmentError.cannotVerify("the new certificate is another device's, or of another server")
    }
    let (configuration, now) = (configuration, configuration.clock())
    let new = try await blocking { () throws(EnrollmentError) in
      let new = try Self.credential(of: enrolled, key: key)
      guard let leaf = new.identity?.certificate, let from = SecCertificateCopyNotValidBeforeDate(leaf) as Date?,
        let until = SecCertificateCopyNotValidAfterDate(leaf) as Date?, from <= now, now < until
      else {
        throw .cannotVerify("the new certificate does not count now: is this device's clock right?")
      }
      try configuration.credentials.setDefaultCredential(new, for: configuration.identitySpace)
      if let old { try Self.deleteCredentials(of: old, but: new, record, configuration) }
      return new
    }
    if record.pendingRegistration != nil { try await change { $0.pendingRegistration = nil } }
    guard let stored = EnrolledIdentity(new, record, configuration) else { throw EnrollmentError.notEnrolled }
    return stored
  }

  private func noteChange(_ isUnderWay: Bool?) async throws(EnrollmentError) {
    try await change { $0.isChangingKey = isUnderWay }
  }

  /// Whether the identity is of the key that the change is to.
  private func isChanged(_ identity: EnrolledIdentity, _ next: SecKey?) async throws -> Bool {
    let label = configuration.identityKeyLabel
    let used = identity.identity.key
    return try await blocking { () throws(EnrollmentError) in
      let current = try used.publicKeyX963()
      if let next { return try next.publicKeyX963() == current }
      // Renamed already, if the label's key is in use; or the change was noted, and no key made.
      return try DeviceKey.find(label: label)?.publicKeyX963() == current
    }
  }

  /// Ends a change of the key: the server confirms the new certificate, then the old certificate and key are deleted. Each step may be taken
  /// twice, so that a change that was interrupted here goes on here.
  private func finishChange(to identity: EnrolledIdentity) async throws -> EnrolledIdentity {
    let configuration = configuration
    guard let record = try await record() else { throw EnrollmentError.notEnrolled }
    guard try await counts(identity) else {
      throw EnrollmentError.cannotVerify(
        "the server does not accept the new certificate that it sent; the old key is kept")
    }
    try configuration.reached(.proved)
    try await blocking { () throws(EnrollmentError) in
      try Self.deleteCredentials(of: identity, but: identity.signer.credential, record, configuration)
      try configuration.reached(.oldCertificateDeleted)
      let (label, nextLabel) = (configuration.identityKeyLabel, configuration.nextIdentityKeyLabel)
      let current = try identity.identity.key.publicKeyX963()
      // By its public half: another process may have given the new key this label meanwhile.
      if let old = try DeviceKey.find(label: label), try old.publicKeyX963() != current { try DeviceKey.delete(old) }
      try configuration.reached(.oldKeyDeleted)
      if let next = try DeviceKey.find(label: nextLabel), try next.publicKeyX963() == current {
        try DeviceKey.rename(nextLabel, to: label)
      }
      try configuration.reached(.renamed)
    }
    try await noteChange(nil)
    guard let renewed = try await self.identity() else { throw EnrollmentError.notEnrolled }
    return renewed
  }

  /// Deletes an identity's credential and certificate, and those of the same device that the new one replaces; all of them without a new
  /// one.
  static func deleteCredentials(
    of identity: EnrolledIdentity, but new: Credential?, _ record: EnrollmentRecord,
    _ configuration: EnrollmentConfiguration
  ) throws(EnrollmentError) {
    let order = try CredentialOrder(record, configuration)
    for old in try EnrolledIdentity.credentials(of: identity.device, configuration) {
      guard let certificate = old.identity?.certificate, certificate != new?.identity?.certificate else { continue }
      if let new, certificate != identity.identity.certificate, try !order.isReplaced(old, by: new) { continue }
      try configuration.credentials.remove(old, for: configuration.identitySpace)
      try Items.delete([kSecClass: kSecClassCertificate, kSecValueRef: certificate])
    }
  }
}
