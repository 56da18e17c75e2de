import Crypto
import EnrollmentProtocol
import EnrollmentStore
import Foundation
import Testing

@testable import EnrollmentServer

@Suite("Renewing and revoking")
struct RenewalTests {
  private func renew(
    _ bench: CeremonyBench, _ device: AuthenticatedDevice, _ key: P256.Signing.PrivateKey
  ) async throws -> (enrolled: EnrolledDevice, fingerprint: [UInt8]) {
    let enrolled = try await RenewalCeremony(services: bench.services).renew(
      RenewalRequest(signingRequest: Base64Bytes(try signingRequest(key))), over: device)
    return (enrolled, Array(SHA256.hash(data: enrolled.certificates[0].bytes)))
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

  @Test("a new key counts for signatures at once, also where the old certificate is shown")
  func newKey() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let device = try await bench.device()
    let key = P256.Signing.PrivateKey()
    let (_, fingerprint) = try await renew(bench, device, key)
    for shown in [fingerprint, device.fingerprint] {
      let known = try bench.services.directory.cached(fingerprint: shown, now: bench.now)
      #expect(known == nil || known?.identityKey == key.point)
      let asked = try await bench.services.directory.device(fingerprint: shown, now: bench.now)
      #expect(asked.identityKey == key.point)
    }
    #expect(try await bench.store.events.last?.fields["key"] == "new")
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

  @Test("a device that renews without end is told to wait")
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
