import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore

/// A device of a running server, as its registration would have made it.
struct TestDevice: Sendable {
  let id: Identifier
  let user: UserName
  let key: P256.Signing.PrivateKey
  /// DER.
  let certificate: [UInt8]

  /// SHA-256 of the certificate.
  var fingerprint: Fingerprint { Fingerprint(SHA256.hash(data: certificate)) }
}

extension RunningServer {
  /// Registers a device in the store, without any ceremony.
  func device(
    of user: UserName = "demo", lifetime: TimeInterval = 24 * 3600, issuedBy authority: CertificateAuthority? = nil
  ) async throws -> TestDevice {
    try await TestDevice.made(
      in: store, by: authority ?? self.authority, of: user, now: clock.now, lifetime: lifetime)
  }
}

extension TestDevice {
  /// Registers a device in a store, without any ceremony.
  static func made(
    in store: any EnrollmentStore, by authority: CertificateAuthority, of user: UserName = "demo", now: Date = Date(),
    lifetime: TimeInterval = 24 * 3600, serial: [UInt8] = RunningServer.serial()
  ) async throws -> TestDevice {
    let id = Identifier.random()
    let key = P256.Signing.PrivateKey()
    let publicKey = [UInt8](key.publicKey.x963Representation)
    let certificate = try authority.issueClient(
      device: id.description, user: user.text, publicKey: publicKey, serial: serial,
      notBefore: now.addingTimeInterval(-60), notAfter: now.addingTimeInterval(lifetime))
    let device = TestDevice(id: id, user: user, key: key, certificate: certificate)
    let created = Int64(now.timeIntervalSince1970)
    let notAfter = Int64(now.addingTimeInterval(lifetime).timeIntervalSince1970)
    try await store.write { store in
      try store.addDevice(
        DeviceRecord(id: id, user: user, name: "test", created: created, identityKey: publicKey))
      try store.addCertificate(
        CertificateRecord(fingerprint: device.fingerprint, serial: serial, device: id, notAfter: notAfter))
    }
    return device
  }
}
