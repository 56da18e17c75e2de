import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Synchronization
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Renewing and revoking")
struct RenewalTests {
  private func renew(
    _ bench: CeremonyBench, _ device: AuthenticatedDevice, _ key: P256.Signing.PrivateKey
  ) async throws -> (enrolled: EnrolledDevice, fingerprint: Fingerprint) {
    let enrolled = try await RenewalCeremony(services: bench.services).renew(
      RenewalRequest(signingRequest: Base64Bytes(try signingRequest(key))), over: device)
    return (enrolled, Fingerprint(SHA256.hash(data: enrolled.certificates[0].bytes)))
  }

  @Test("the same key gets a later certificate, and the earlier one counts until its end")
  func sameKey() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let key = P256.Signing.PrivateKey()
    let device = try await bench.device(key)
    bench.clock.advance(by: 3600)
    let (enrolled, fingerprint) = try await renew(bench, device, key)
    #expect(enrolled.device == device.id.description && enrolled.notAfter >= device.notAfter + 3599)
    let directory = bench.services.directory
    #expect(try await directory.device(fingerprint: fingerprint, now: bench.now).id == device.id)
    #expect(try await directory.device(fingerprint: device.fingerprint, now: bench.now).id == device.id)
    #expect(try await bench.store.read { try $0.revocationEpoch() } == 0)
    await expect(.notAuthenticated) {
      try await directory.device(fingerprint: device.fingerprint, now: device.notAfter)
    }
    #expect(try await directory.device(fingerprint: fingerprint, now: device.notAfter).id == device.id)
    #expect(try await bench.store.events.last?.fields["key"] == "same")
  }

  @Test("a new key counts at once, and ends every certificate of the old one")
  func newKey() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let old = P256.Signing.PrivateKey()
    let device = try await bench.device(old)
    let (_, second) = try await renew(bench, device, old)
    let key = P256.Signing.PrivateKey()
    let (_, fingerprint) = try await renew(bench, device, key)
    let directory = bench.services.directory
    #expect(try await directory.device(fingerprint: fingerprint, now: bench.now).identityKey == key.point)
    for ended in [device.fingerprint, second] {
      await expect(.revoked) { try await directory.device(fingerprint: ended, now: bench.now) }
    }
    #expect(try await bench.store.events.last?.fields["key"] == "new")
    #expect(try await bench.store.events.last?.fields["revoked"] == "2")
    #expect(try await bench.store.read { try $0.revocationEpoch() } == 1)
  }

  @Test("The old key's certificate renews nothing any more, whatever key is asked for")
  func thief() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let old = P256.Signing.PrivateKey()
    let device = try await bench.device(old)
    let own = P256.Signing.PrivateKey()
    _ = try await renew(bench, device, own)
    for key in [old, P256.Signing.PrivateKey()] {
      await expect(.revoked) { try await renew(bench, device, key) }
    }
    let id = device.id
    #expect(try await bench.store.read { try $0.device(id)?.identityKey } == own.point)
  }

  @Test(
    "where the answer was lost, the old certificate gets another one for the new key, until its end or the device's")
  func lostAnswer() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let device = try await bench.device()
    let key = P256.Signing.PrivateKey()
    _ = try await renew(bench, device, key)
    let (_, again) = try await renew(bench, device, key)
    #expect(try await bench.services.directory.device(fingerprint: again, now: bench.now).identityKey == key.point)
    let current = try await bench.services.directory.device(fingerprint: again, now: bench.now)
    try await RevocationCeremony(services: bench.services).revoke(current)
    await expect(.revoked) { try await renew(bench, device, key) }
  }

  @Test("renewals of the old key do not keep a device from changing it")
  func bothBounds() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let old = P256.Signing.PrivateKey()
    let device = try await bench.device(old)
    for _ in 1..<RenewalCeremony.most { _ = try await renew(bench, device, old) }
    await expect(.tooManyRequests) { try await renew(bench, device, old) }
    let own = P256.Signing.PrivateKey()
    let (_, fingerprint) = try await renew(bench, device, own)
    let changed = try await bench.services.directory.device(fingerprint: fingerprint, now: bench.now)
    #expect(changed.identityKey == own.point)
    // Changing it again and again has an end, too.
    var (last, count) = (changed, 0)
    await expect(.tooManyRequests) {
      while count < 2 * RenewalCeremony.mostWithRevoked {
        let (_, next) = try await renew(bench, last, P256.Signing.PrivateKey())
        last = try await bench.services.directory.device(fingerprint: next, now: bench.now)
        count += 1
      }
      return nil
    }
    #expect(count < RenewalCeremony.mostWithRevoked)
  }

  @Test("One certificate is revoked by its serial number, and no other; another device's is refused")
  func oneCertificate() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let key = P256.Signing.PrivateKey()
    let device = try await bench.device(key)
    let (_, second) = try await renew(bench, device, key)
    let stranger = try await bench.device()
    let ceremony = RevocationCeremony(services: bench.services)
    let record = try #require(try await bench.store.read { try $0.certificate(fingerprint: second)?.certificate })
    let serial = SerialNumber(bytes: record.serial)
    #expect(SerialNumber("\(serial)") == serial && SerialNumber("\(serial)".uppercased()) == serial)
    await expect(.notFound) { try await ceremony.revoke(serial: serial, of: stranger) }
    try await ceremony.revoke(serial: serial, of: device)
    try await ceremony.revoke(serial: serial, of: device)
    await expect(.revoked) { try await bench.services.directory.device(fingerprint: second, now: bench.now) }
    #expect(try await bench.services.directory.device(fingerprint: device.fingerprint, now: bench.now).id == device.id)
    #expect(try await bench.store.events.filter { $0.event == "certificate.revoked" }.count == 1)
    // One that was revoked for itself is no key change: it gets nothing.
    let over = AuthenticatedDevice(
      id: device.id, user: device.user, name: device.name, identityKey: device.identityKey, approvalKey: nil,
      approvalEvidence: nil, fingerprint: second, notAfter: device.notAfter)
    await expect(.revoked) { try await renew(bench, over, key) }
    for text in ["", "0", "zz", String(repeating: "00", count: 21)] { #expect(SerialNumber(text) == nil, "\(text)") }
  }

  @Test("revoked devices, ended certificates, bad requests and the approval key get nothing")
  func refusals() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (device, approval) = try await bench.approvingDevice()
    await expect(.invalidSigningRequest) { try await renew(bench, device, approval) }
    await expect(.invalidSigningRequest) {
      try await RenewalCeremony(services: bench.services).renew(
        RenewalRequest(signingRequest: Base64Bytes([0x30, 0])), over: device)
    }
    let old = try await bench.device()
    bench.clock.advance(by: 86_401)
    await expect(.notAuthenticated) { try await renew(bench, old, P256.Signing.PrivateKey()) }
    let revoked = try await bench.device()
    try await RevocationCeremony(services: bench.services).revoke(revoked)
    await expect(.revoked) { try await renew(bench, revoked, P256.Signing.PrivateKey()) }
  }

  @Test("A device that renews too often is asked to wait")
  func bounded() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let key = P256.Signing.PrivateKey()
    let device = try await bench.device(key)
    for _ in 1..<RenewalCeremony.most { _ = try await renew(bench, device, key) }
    await expect(.tooManyRequests) { try await renew(bench, device, key) }
    let id = device.id
    #expect(try await bench.store.read { try $0.certificates(of: id) }.count == RenewalCeremony.most)
  }

  @Test("A renewal refused for the device's certificates costs the authority no signature")
  func nothingSigned() async throws {
    let authorityKey = CountingKey()
    let authority = try CertificateAuthority(
      name: "Counted authority", key: authorityKey, now: Date(), serial: RunningServer.serial())
    let bench = try CeremonyBench { $0.authority = authority }
    try await bench.user()
    let key = P256.Signing.PrivateKey()
    let device = try await bench.device(key)
    for _ in 1..<RenewalCeremony.most { _ = try await renew(bench, device, key) }
    let (approving, approval) = try await bench.approvingDevice()
    let revoked = try await bench.device()
    try await RevocationCeremony(services: bench.services).revoke(revoked)
    let signatures = authorityKey.signatures
    for _ in 0..<20 { await expect(.tooManyRequests) { try await renew(bench, device, key) } }
    await expect(.invalidSigningRequest) { try await renew(bench, approving, approval) }
    await expect(.revoked) { try await renew(bench, revoked, key) }
    #expect(authorityKey.signatures == signatures)
  }

  /// A key that counts what it signs.
  private final class CountingKey: AuthorityKey {
    private let key = FileAuthorityKey()
    private let count = Mutex(0)
    var signatures: Int { count.withLock { $0 } }
    var publicKey: [UInt8] { key.publicKey }

    func sign(_ message: [UInt8]) throws -> [UInt8] {
      count.withLock { $0 += 1 }
      return try key.sign(message)
    }
  }

  @Test("a revocation ends all certificates of the device, at once, and once")
  func revocation() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let key = P256.Signing.PrivateKey()
    let device = try await bench.device(key)
    let (_, fingerprint) = try await renew(bench, device, key)
    let other = try await bench.device()
    let ceremony = RevocationCeremony(services: bench.services)
    try await ceremony.revoke(device)
    for shown in [device.fingerprint, fingerprint] {
      await expect(.revoked) { try await bench.services.directory.device(fingerprint: shown, now: bench.now) }
    }
    #expect(try await bench.services.directory.device(fingerprint: other.fingerprint, now: bench.now).id == other.id)
    await expect(.revoked) { try await ceremony.revoke(device) }
    #expect(try await bench.store.events.filter { $0.event == "device.revoked" }.count == 1)
  }
}
