internal import Crypto
internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import Security

extension EnrollmentClient {
  /// Registers the device, or resumes an interrupted registration with the same request under the same key, so that a crash
  /// does not create a second device.
  func registered(name: String, origin: IdentityOrigin, token: String) async throws -> EnrolledIdentity {
    guard (1...64).contains(name.count) else { throw EnrollmentError.misuse("a device's name has 1 to 64 characters") }
    var record = try await record() ?? EnrollmentRecord(configuration)
    let resumed = record.isEnded == true ? nil : Self.resumed(record, origin)
    let pending: EnrollmentRecord.PendingRegistration
    if let resumed {
      pending = resumed
    } else {
      record.isEnded = nil
      pending = try await newRegistration(&record, name: name, origin: origin, token: token)
    }
    let call = Call(
      method: "POST", path: pending.path, proof: .token(token), body: Array(pending.body),
      idempotencyKey: pending.idempotencyKey, isSafeTwice: origin == .madeHere)
    let enrolled: EnrolledDevice
    var isWaiting = false
    do {
      enrolled = try await answered(call, isWaiting: &isWaiting).decode(EnrolledDevice.self)
    } catch let refusal as Refusal {
      // Decided: the next attempt is another registration. A request to retry decides nothing, since an earlier attempt may
      // have registered.
      if Self.isDecided(refusal.problem.code) || (resumed == nil && !isWaiting && Self.isTokenRefused(refusal)) {
        record.pendingRegistration = nil
        try await save(record)
        // The server does not know a key that was created for this attempt alone. If an earlier attempt may have registered it,
        // and its response was lost, it stays until it is replaced.
        if resumed == nil, !isWaiting, origin == .madeHere {
          let label = configuration.identityKeyLabel
          try await blocking { () throws(EnrollmentError) in try DeviceKey.delete(label: label) }
        }
        // An attestation names the token that it was made for: a registration that never arrived begins anew with this one.
        if resumed != nil, refusal.problem.code == .invalidAttestation {
          return try await registered(name: name, origin: origin, token: token)
        }
      }
      throw refusal
    }
    guard Self.serverKeyID(of: enrolled.serverKey.bytes) == enrolled.serverKeyID else {
      throw EnrollmentError.cannotInterpret("the server's key and its name do not belong together")
    }
    let (configuration, label) = (configuration, configuration.identityKeyLabel)
    try await blocking { () throws(EnrollmentError) in
      let credential: Credential
      if let passphrase = pending.passphrase {
        credential = try Self.imported(enrolled.pkcs12?.bytes ?? [], passphrase: passphrase)
      } else {
        guard let key = try DeviceKey.find(label: label) else {
          throw .misuse("the identity key was deleted while the device was registered: enroll again")
        }
        credential = try Self.credential(of: enrolled, key: key)
      }
      try configuration.credentials.setDefaultCredential(credential, for: configuration.identitySpace)
    }
    // The server has answered under these. The record may be of an earlier registration that never ended, with others.
    record.roots = self.configuration.trustRoots?.map { Data($0.der) }
    record.user = enrolled.user
    record.device = enrolled.device
    record.serverKey = Data(enrolled.serverKey.bytes)
    record.serverKeyID = enrolled.serverKeyID
    record.hasApprovalKey = false
    record.approvalKey = nil
    record.isChangingKey = nil
    record.pendingRegistration = nil
    try await save(record)
    guard let identity = try await identity() else {
      throw EnrollmentError.cannotInterpret("the certificate that came is not the new device's")
    }
    return identity
  }

  /// The answer to a registration, once it is approved where the server requires that.
  ///
  /// - Throws: `.awaitingApproval` if it is not approved within the configured time; the registration stays stored, and is
  ///   resumed.
  private func answered(_ call: Call, isWaiting: inout Bool) async throws -> Answer {
    var timeLeft = configuration.approvalWait
    while true {
      let answer = try await messenger.send(call)
      guard answer.status == 202 else { return answer }
      let pending = try answer.decode(PendingDevice.self)
      if !isWaiting { configuration.approvalNotice(pending) }
      isWaiting = true
      guard timeLeft > .zero else { throw EnrollmentError.awaitingApproval(pending) }
      let interval = min(timeLeft, max(configuration.approvalInterval, .milliseconds(1)))
      try await configuration.sleep(interval)
      timeLeft -= interval
    }
  }

  /// Whether a registration with this refusal is final. If the session expired, the next one resumes it.
  private static func isDecided(_ code: Problem.Code) -> Bool {
    switch code {
    case .malformedRequest, .invalidName, .invalidSigningRequest, .invalidAttestation, .idempotencyMismatch,
      .notPermitted, .tooLarge,
      .unsupportedMediaType:
      true
    default: false
    }
  }

  /// Whether the server does not know the token, and no earlier attempt may have registered with it.
  private static func isTokenRefused(_ refusal: Refusal) -> Bool {
    refusal.problem.code == .notAuthenticated && !refusal.followsOpenAttempt
  }

  /// The pending registration, if it matches this request.
  private static func resumed(
    _ record: EnrollmentRecord, _ origin: IdentityOrigin
  ) -> EnrollmentRecord.PendingRegistration? {
    guard let pending = record.pendingRegistration, (pending.passphrase == nil) == (origin == .madeHere) else {
      return nil
    }
    return pending
  }

  /// Creates a registration with a new key.
  private func newRegistration(
    _ record: inout EnrollmentRecord, name: String, origin: IdentityOrigin, token: String
  ) async throws -> EnrollmentRecord.PendingRegistration {
    let pending: EnrollmentRecord.PendingRegistration
    switch origin {
    case .madeHere:
      let (label, nextLabel) = (configuration.identityKeyLabel, configuration.nextIdentityKeyLabel)
      let key = try await blocking { () throws(EnrollmentError) in
        try DeviceKey.delete(label: label)
        try DeviceKey.delete(label: nextLabel)
        return try DeviceKey.identity.make(label: label)
      }
      let request = try await SigningRequest.der(for: key, commonName: name)
      // The attestation is sent wherever there is one; the server decides whether it is required.
      let statement = try? await attestation(
        ofKey: label, challenge: DeviceRegistration.challenge(token: token, signingRequest: request))
      pending = EnrollmentRecord.PendingRegistration(
        idempotencyKey: try configuration.freshName(), path: Routes.devices,
        body: Data(
          try JSON.encode(
            DeviceRegistration(
              name: name, signingRequest: Base64Bytes(request), attestation: statement.map(Base64Bytes.init)))))
    case .madeByServer:
      let passphrase = try configuration.freshName()
      pending = EnrollmentRecord.PendingRegistration(
        idempotencyKey: try configuration.freshName(), path: Routes.serverMadeIdentities,
        body: Data(try JSON.encode(ServerMadeIdentityRequest(name: name, passphrase: passphrase))),
        passphrase: passphrase)
    }
    record.pendingRegistration = pending
    try await save(record)
    return pending
  }

  /// The credential of a certificate that was issued for `key`.
  ///
  /// - Throws: `.cannotInterpret` if the certificate is another key's.
  static func credential(of enrolled: EnrolledDevice, key: SecKey) throws(EnrollmentError) -> Credential {
    let certificates = enrolled.certificates.map { SecCertificateCreateWithData(nil, Data($0.bytes) as CFData) }
    guard let leaf = certificates.first ?? nil, certificates.allSatisfy({ $0 != nil }) else {
      throw .cannotInterpret("the certificates that came cannot be read")
    }
    guard EnrolledIdentity.name(leaf) == enrolled.device, let identity = SecIdentity(certificate: leaf, key: key) else {
      throw .cannotInterpret("the certificate that came is not for this device's key")
    }
    return Credential(
      identity: identity, certificates: certificates.dropFirst().compactMap(\.self), persistence: .permanent)
  }

  /// Imports the PKCS#12 file that the server created.
  ///
  /// - Throws: `.importFailed`, which the code in `Examples/002-sealed-transfer` ignores silently.
  static func imported(_ file: [UInt8], passphrase: String) throws(EnrollmentError) -> Credential {
    var items: CFArray?
    let options: ItemAttributes = [kSecImportExportPassphrase: passphrase]
    let status = SecPKCS12Import(Data(file) as CFData, options as CFDictionary, &items)
    guard status == errSecSuccess else { throw .importFailed(status: status) }
    guard let first = (items as? [[CFString: Any]])?.first,
      let identity = first[kSecImportItemIdentity] as? SecIdentity
    else { throw .importFailed(status: errSecItemNotFound) }
    let chain = first[kSecImportItemCertChain] as? [SecCertificate] ?? []
    return Credential(
      identity: identity, certificates: chain.filter { $0 != identity.certificate }, persistence: .permanent)
  }

  /// The first 16 digits of the SHA-256 of a key's X9.63.
  static func serverKeyID(of key: [UInt8]) -> String {
    String(Hexadecimal.encode(Array(SHA256.hash(data: key))).prefix(16))
  }
}
