import Crypto
import Foundation
import LatchkeyAttestation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import SwiftASN1
import Testing
import X509

@testable import LatchkeyEnrollmentServer

@Suite("ACME with attestations of Apple devices")
struct ACMEAppleTests {
  private let device = P256.Signing.PrivateKey()
  private let apple = PaperApple()

  private func with(
    _ change: @escaping (inout ServerConfiguration) throws -> Void = { _ in },
    _ body: (ACMETestClient) async throws -> Void
  ) async throws {
    try await ACMETestClient.with(
      {
        $0.policy.attestationTrust = try AttestationTrust(appleRoots: [apple.root])
        try change(&$0)
      }, body)
  }

  /// Answers an order's challenge.
  private func attest(
    _ acme: ACMETestClient, _ order: String, serialNumber: String? = "C02ABC", udid: String? = nil,
    by other: PaperApple? = nil, token change: (String) throws -> String = { $0 }
  ) async throws -> TestAnswer {
    let token = try change(try await acme.challenge(order))
    let object = try (other ?? apple).attestation(
      of: device.publicKey, challenge: Array(token.utf8), serialNumber: serialNumber, udid: udid)
    return try await acme.post(Routes.acmeChallenge(order), ["attObj": Base64URL.encode(object)])
  }

  /// A signing request without a name.
  private func request() throws -> String {
    let request = try CertificateSigningRequest(
      version: .v1, subject: DistinguishedName(), privateKey: Certificate.PrivateKey(device), attributes: .init())
    return Base64URL.encode(try request.serializeAsPEM().derBytes)
  }

  @Test("A device enrolls by the digest of the token: it is named by its serial number, which the audit entry has, too")
  func enrolls() async throws {
    try await with { acme in
      try await acme.profile("fruit") { $0.attestation = .apple }
      let order = try await acme.made(acme.token("fruit"), label: "fruit")
      let attested = try await attest(acme, order, udid: "0000-11")
      #expect(attested.json["status"] as? String == "valid", "\(attested.text)")
      // The key of the request is the certificate's.
      #expect(try await acme.finalize(order, P256.Signing.PrivateKey()).acme == "badCSR")
      let final = try await acme.post(Routes.acmeFinalization(order), ["csr": request()])
      #expect(final.json["status"] as? String == "valid", "\(final.text)")
      let leaf = try Certificate(derEncoded: try await acme.post(Routes.acmeCertificate(order)).leaf)
      #expect(P256.Signing.PublicKey(leaf.publicKey)?.rawRepresentation == device.publicKey.rawRepresentation)
      let devices = try await acme.devices
      #expect(devices.map(\.name) == ["C02ABC"] && devices.map(\.identityEvidence) == ["apple"])
      let entries = try await acme.server.store.read { store in
        try store.auditEntries(node: "test", after: 0, limit: 1000).map(\.entry)
      }
      #expect(
        entries.filter { $0.event == "device.registered" }.map { $0.fields["identifiers"] } == ["C02ABC 0000-11"])
    }
  }

  @Test("Another token, another order's, the key authorization, another root or no root is refused")
  func refused() async throws {
    try await with { acme in
      let token = try await acme.token()
      let foreign = try await acme.challenge(try await acme.made(acme.token()))
      let thumbprint = try acme.key
      let wrong: [(String) throws -> String] = [
        { _ in foreign }, { _ in "" }, { thumbprint.authorization(ofToken: $0) }, { $0 + "=" },
      ]
      for change in wrong {
        let order = try await acme.made(token)
        let answer = try await attest(acme, order, token: change)
        #expect(answer.status == 403 && answer.acme == "badAttestationStatement", "\(answer.text)")
        #expect(try await attest(acme, order).json["status"] as? String == "invalid")
      }
      let order = try await acme.made(token)
      #expect(try await attest(acme, order, by: PaperApple()).acme == "badAttestationStatement")
      let last = try await acme.made(token)
      #expect(try await attest(acme, last, serialNumber: "a b").acme == "badAttestationStatement")
      #expect(try await acme.devices.isEmpty)
    }
    // A server that trusts a TPM alone.
    try await ACMETestClient.with { acme in
      let order = try await acme.made(acme.token())
      #expect(try await attest(acme, order).acme == "badAttestationStatement")
    }
  }

  @Test("A token that prescribes a name is for the device with this serial number or identifier alone")
  func named() async throws {
    try await with { acme in
      let token = try await acme.token(device: "C02ABC")
      for (serial, udid) in [("C02ABD", nil), ("c02abc", nil), (nil, nil), ("C02ABD", "C02ABC1")]
        as [(String?, String?)]
      {
        let order = try await acme.made(token)
        let answer = try await attest(acme, order, serialNumber: serial, udid: udid)
        #expect(answer.acme == "badAttestationStatement", "\(serial ?? "none"): \(answer.text)")
      }
      let order = try await acme.made(token)
      #expect(try await attest(acme, order).json["status"] as? String == "valid")
      let final = try await acme.post(Routes.acmeFinalization(order), ["csr": request()])
      #expect(final.json["status"] as? String == "valid", "\(final.text)")
      let other = try await acme.made(acme.token(device: "0000-11"))
      #expect(try await attest(acme, other, udid: "0000-11").json["status"] as? String == "valid")
    }
  }

  @Test(
    "A profile that requires a TPM takes no Apple device, one for Apple devices no TPM, and the server's rule takes both"
  )
  func profiles() async throws {
    try await with({ $0.policy.identityAttestationPolicy = AttestationPolicy() }) { acme in
      try await acme.profile("hard") { $0.attestation = .tpm }
      try await acme.profile("fruit") { $0.attestation = .apple }
      for (name, isTaken) in [("hard", false), ("fruit", true), ("default", true)] {
        let order = try await acme.made(acme.token(name))
        #expect(try await attest(acme, order).acme == (isTaken ? nil : "badAttestationStatement"), "\(name)")
      }
      // The rules of the moment of registration count.
      let order = try await acme.made(acme.token())
      #expect(try await attest(acme, order).json["status"] as? String == "valid")
      try await acme.profile("default") { $0.attestation = .tpm }
      #expect(try await acme.post(Routes.acmeFinalization(order), ["csr": request()]).acme == "unauthorized")
      try await acme.profile("default") { $0.attestation = .software }
      let final = try await acme.post(Routes.acmeFinalization(order), ["csr": request()])
      #expect(final.json["status"] as? String == "valid", "\(final.text)")
    }
    try await ACMETestClient.with { acme in
      try await acme.profile("fruit") { $0.attestation = .apple }
      let order = try await acme.made(acme.token("fruit"))
      #expect(try await acme.attest(order, device).acme == "badAttestationStatement")
    }
  }
}
