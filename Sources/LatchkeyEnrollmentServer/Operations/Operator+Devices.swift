internal import LatchkeyEnrollmentProtocol
public import LatchkeyEnrollmentStore

// Devices and their certificates: renamed and revoked.

extension Operator {
  /// A user's devices, oldest first.
  ///
  /// - Throws: ``OperatorError``: `.notFound`.
  public func devices(of user: String) async throws -> [DeviceRecord] {
    try await store.read { store in
      guard let owner = try store.user(entered: user)?.name else { throw OperatorError.noUser(user) }
      return try store.devices(of: owner)
    }
  }

  /// Revokes a device with all its certificates. Servers that share the store refuse it within their staleness.
  ///
  /// - Throws: ``OperatorError``: `.notFound`, also if it was revoked before.
  public func revokeDevice(_ text: String, reason: RevocationReason = .cessationOfOperation) async throws {
    let id = try Self.identifier(text)
    let time = now
    let isRevoked = try await store.write { store in
      guard try store.revokeDevice(id, at: time, reason: reason.rawValue) else { return false }
      try store.audit(entry("device.revoked", ["device": text, "reason": "\(reason.rawValue)"]))
      return true
    }
    guard isRevoked else { throw OperatorError.notFound("there is no device \(text), or it was revoked before") }
  }

  /// Revokes one certificate by its serial number. Servers that share the store refuse it within their staleness.
  ///
  /// - Parameter serial: hexadecimal digits, with or without colons, as `openssl x509 -serial` prints it.
  /// - Throws: ``OperatorError``: `.notFound`, also if it was revoked before.
  public func revokeCertificate(
    serial text: String, reason: RevocationReason = .cessationOfOperation
  ) async throws {
    guard let serial = SerialNumber(text) else {
      throw OperatorError.invalid("a serial number has 2 to 40 hexadecimal digits")
    }
    let time = now
    let isRevoked = try await store.write { store in
      guard let certificate = try store.certificate(serial: serial.bytes),
        try store.revokeCertificate(fingerprint: certificate.fingerprint, at: time, reason: reason.rawValue)
      else { return false }
      try store.audit(
        entry(
          "certificate.revoked",
          [
            "device": certificate.device.description, "serial": "\(serial)", "reason": "\(reason.rawValue)",
          ]))
      return true
    }
    guard isRevoked else {
      throw OperatorError.notFound("there is no certificate of that serial number, or it was revoked before")
    }
  }

  /// The certificates of a device, ordered by expiry, the latest last.
  ///
  /// - Throws: ``OperatorError``: `.notFound` for an unknown device.
  public func certificates(of text: String) async throws -> [CertificateRecord] {
    let id = try Self.identifier(text)
    return try await store.read { store in
      guard try store.device(id) != nil else { throw OperatorError.notFound("there is no device \(text)") }
      return try store.certificates(of: id)
    }
  }

  /// Gives a device another name; certificates that it has keep the old one.
  ///
  /// - Throws: ``OperatorError``: `.notFound`, `.invalid`.
  public func renameDevice(_ text: String, to name: String) async throws {
    let id = try Self.identifier(text)
    guard ShownName.isValid(name) else {
      throw OperatorError.invalid("a device's name has 1 to \(ShownName.longest) characters that show")
    }
    try await store.write { store in
      guard let device = try store.device(id), try store.renameDevice(id, to: name) else {
        throw OperatorError.notFound("there is no device \(text)")
      }
      try store.audit(entry("device.renamed", ["device": text, "from": device.name, "to": name]))
    }
  }

  /// A device.
  ///
  /// - Throws: ``OperatorError``: `.notFound`, `.invalid`.
  public func device(_ text: String) async throws -> DeviceRecord {
    let id = try Self.identifier(text)
    return try await store.read { store in
      guard let device = try store.device(id) else { throw OperatorError.notFound("there is no device \(text)") }
      return device
    }
  }

  /// A certificate by its serial number, as in ``revokeCertificate(serial:reason:)``.
  ///
  /// - Throws: ``OperatorError``: `.notFound`, `.invalid`.
  public func certificate(serial text: String) async throws -> CertificateRecord {
    guard let serial = SerialNumber(text) else {
      throw OperatorError.invalid("a serial number has 2 to 40 hexadecimal digits")
    }
    return try await store.read { store in
      guard let certificate = try store.certificate(serial: serial.bytes) else {
        throw OperatorError.notFound("there is no certificate of that serial number")
      }
      return certificate
    }
  }

  static func identifier(_ text: String) throws(OperatorError) -> Identifier {
    guard let id = Identifier(text) else { throw .invalid("a device's identifier has 32 digits 0-9 a-f") }
    return id
  }
}
