import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import SwiftASN1
import Testing
import X509

@testable import LatchkeyEnrollmentServer

@Suite("Authorities of one server, their revocation lists and OCSP responses")
struct KnownIssuersTests {
  /// An OCSP request of an authority for a serial number, with SHA-256.
  private func request(_ authority: CertificateAuthority, serial: [UInt8]) throws -> OCSPRequest {
    let certificate = try Certificate(derEncoded: authority.chain[0])
    var name = DER.Serializer()
    try name.serialize(certificate.subject)
    let key = try #require(P256.Signing.PublicKey(certificate.publicKey)).x963Representation
    var coder = DER.Serializer()
    try coder.appendConstructedNode(identifier: .sequence) { request in
      try request.appendConstructedNode(identifier: .sequence) { body in
        try body.appendConstructedNode(identifier: .sequence) { list in
          try list.appendConstructedNode(identifier: .sequence) { single in
            try single.appendConstructedNode(identifier: .sequence) { id in
              try id.appendConstructedNode(identifier: .sequence) {
                try $0.serialize([2, 16, 840, 1, 101, 3, 4, 2, 1] as ASN1ObjectIdentifier)
              }
              try id.serialize(ASN1OctetString(contentBytes: Array(SHA256.hash(data: name.serializedBytes))[...]))
              try id.serialize(ASN1OctetString(contentBytes: Array(SHA256.hash(data: key))[...]))
              try id.serialize(serial[...])
            }
          }
        }
      }
    }
    return try OCSPRequest(der: coder.serializedBytes)
  }

  private func authority(_ bench: CeremonyBench) -> CertificateAuthority { bench.services.configuration.authority }

  /// The response that a responder would sign for one status now.
  private func expected(_ status: OCSPStatus, _ request: OCSPRequest, _ bench: CeremonyBench) async throws -> [UInt8] {
    let made = bench.now - bench.now % 60
    func time(_ seconds: Int64) -> Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }
    return try OCSPResponder(authority(bench)).response(
      to: request, [status], producedAt: time(made), thisUpdate: time(made), nextUpdate: time(made + 3600)
    ).contentHash
  }

  @Test("A device's certificate is good, then revoked with reason and time; another number is unknown")
  func statuses() async throws {
    let bench = try CeremonyBench { $0.policy.delegatesStatus = false }
    bench.clock.advance(by: Double(60 - bench.now % 60))
    try await bench.user()
    let device = try await bench.device()
    let serial = try #require(
      try await bench.store.read { try $0.certificate(fingerprint: device.fingerprint)?.certificate.serial })
    let responder = bench.services.issuers.all[0].responder
    let asked = try request(authority(bench), serial: serial)
    #expect(responder.knows(asked))
    #expect(
      try await responder.answer(asked, now: bench.now).response.contentHash == expected(.good, asked, bench))
    let other = try request(authority(bench), serial: [serial[0] ^ 1] + serial.dropFirst())
    #expect(
      try await responder.answer(other, now: bench.now).response.contentHash == expected(.unknown, other, bench))
    try await Operator(bench.store, clock: { [clock = bench.clock] in clock.now })
      .revokeCertificate(serial: SerialNumber(bytes: serial).description, reason: .keyCompromise)
    let date = Date(timeIntervalSince1970: TimeInterval(bench.now))
    #expect(
      try await responder.answer(asked, now: bench.now).response.contentHash
        == expected(.revoked(date, reason: 1), asked, bench))
  }

  @Test("Each authority answers for its own certificates alone, and for those of which nobody recorded the issuer")
  func rotation() async throws {
    let old = try CertificateAuthority(
      name: "Old authority", key: FileAuthorityKey(), now: MovableClock().now, serial: RunningServer.serial())
    let bench = try CeremonyBench { $0.previousAuthorities = [old] }
    try await bench.user()
    let device = try await bench.device()
    let issuers = bench.services.issuers
    #expect(
      issuers.all.count == 2 && issuers.issuer(named: issuers.all[1].name)?.authority.identifier == old.identifier)
    #expect(issuers.issuer(named: "00") == nil)
    let now = bench.now
    // One of the old authority, one from before issuers were recorded, both revoked.
    for (number, issuer) in [(UInt8(1), old.identifier), (2, nil)] as [(UInt8, [UInt8]?)] {
      try await bench.store.write {
        try $0.addCertificate(
          CertificateRecord(
            fingerprint: Fingerprint([UInt8](repeating: number, count: 32)), serial: [0x41, number],
            device: device.id, notAfter: now + 3600, revoked: now, reason: 1, issuer: issuer))
      }
    }
    func lists(_ issuer: KnownIssuer) async throws -> Set<[UInt8]> {
      let list = try await issuer.lists.list(now: now)
      return Set([[0x41, 1], [0x41, 2]].filter { list.firstRange(of: [2, 2] + $0) != nil })
    }
    #expect(try await lists(issuers.all[0]) == [[0x41, 2]])
    #expect(try await lists(issuers.all[1]) == [[0x41, 1], [0x41, 2]])
    // Devices get certificates of the new authority.
    let record = try await bench.store.read { try $0.certificate(fingerprint: device.fingerprint)?.certificate }
    #expect(record?.issuer == authority(bench).identifier)
    #expect(!issuers.all[0].responder.knows(try request(old, serial: [0x41, 1])))
    #expect(issuers.all[1].responder.knows(try request(old, serial: [0x41, 1])))
  }

  @Test("An authority's key that does not sign is unavailability, and no answer")
  func deadKey() async throws {
    let (key, clock) = (FileAuthorityKey(), MovableClock())
    let made = try CertificateAuthority(name: "Dead", key: key, now: clock.now, serial: RunningServer.serial())
    struct Silent: AuthorityKey {
      let publicKey: [UInt8]
      func sign(_ message: [UInt8]) throws -> [UInt8] { throw CancellationError() }
    }
    let dead = try CertificateAuthority(chain: made.chain, key: Silent(publicKey: key.publicKey))
    let bench = try CeremonyBench {
      $0.authority = dead
    }
    let asked = try request(made, serial: [0x41])
    await expect(.unavailable) { try await bench.services.issuers.all[0].responder.answer(asked, now: bench.now) }
  }
}
