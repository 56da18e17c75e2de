import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import SwiftASN1
import Synchronization
import Testing
import X509

@testable import LatchkeyEnrollmentServer

@Suite("ACME with device-attest-01")
struct ACMERoutesTests {
  private let device = P256.Signing.PrivateKey()

  @Test("From directory to certificate: the device is the token's user's, its key attested, and the token used")
  func enrolls() async throws {
    try await ACMETestClient.with { acme in
      let directory = try await acme.client.request("GET", Routes.acmeDirectory).json
      #expect(directory["newOrder"] as? String == acme.base + Routes.acmeOrders)
      #expect(directory["keyChange"] == nil)
      let account = try await acme.post(Routes.acmeAccounts, [String: Any](), byKey: true)
      #expect(account.status == 201)
      let kid = try acme.kid
      #expect(account.header("location") == kid)
      #expect(account.header("link") == "<\(acme.base)/acme/directory>;rel=\"index\"")
      let token = try await acme.token(device: "Pump 7")
      let made = try await acme.order(token)
      #expect(made.status == 201 && made.json["status"] as? String == "pending" && made.header("replay-nonce") != nil)
      #expect((made.json["identifiers"] as? [[String: String]])?.first?["value"] == token)
      let order = try #require(made.header("location")?.split(separator: "/").last.map(String.init))
      let early = try await acme.finalize(order, device)
      #expect(early.status == 403 && early.acme == "orderNotReady")
      #expect(try await acme.post(Routes.acmeCertificate(order)).acme == "orderNotReady")
      let attested = try await acme.attest(order, device)
      #expect(attested.status == 200 && attested.json["validated"] != nil, "\(attested.text)")
      #expect(attested.headers.contains { $0.value.hasSuffix("rel=\"up\"") })
      #expect(try await acme.post(Routes.acmeOrder(order)).json["status"] as? String == "ready")
      // The common name of this request is not the token's: the ceremony refuses it as it does elsewhere.
      let named = try await acme.finalize(order, device)
      #expect(named.acme == "unauthorized", "\(named.text)")
      let plain = try CertificateSigningRequest(
        version: .v1, subject: DistinguishedName(), privateKey: Certificate.PrivateKey(device), attributes: .init())
      let csr = Base64URL.encode(try plain.serializeAsPEM().derBytes)
      let final = try await acme.post(Routes.acmeFinalization(order), ["csr": csr])
      #expect(final.json["status"] as? String == "valid", "\(final.text)")
      let chain = try await acme.post(Routes.acmeCertificate(order))
      #expect(chain.header("content-type") == "application/pem-certificate-chain")
      let leaf = try Certificate(derEncoded: chain.leaf)
      #expect(P256.Signing.PublicKey(leaf.publicKey)?.rawRepresentation == device.publicKey.rawRepresentation)
      #expect(chain.text.components(separatedBy: "BEGIN CERTIFICATE").count == 3)
      let devices = try await acme.devices
      #expect(devices.map(\.name) == ["Pump 7"] && devices.map(\.identityEvidence) == ["tpm"])
      let hash = Array(SHA256.hash(data: Array(token.utf8)))
      #expect(try await acme.server.store.read { try $0.enrollmentToken(hash: hash)?.use?.device } == devices[0].id)
      // The directory is a service of TLS alone: no certificate, no session.
      #expect(try await acme.post(Routes.acmeAccounts, ["onlyReturnExisting": true], byKey: true).status == 200)
    }
  }

  @Test("A lost answer is no lost device: the account orders again with its token, and gets the same certificate")
  func repeats() async throws {
    try await ACMETestClient.with { acme in
      let token = try await acme.token()
      let first = try await acme.attested(token, device)
      #expect(try await acme.finalize(first, device).json["status"] as? String == "valid")
      let repeated = try await acme.finalize(first, device)
      #expect(repeated.status == 403 && repeated.acme == "orderNotReady", "\(repeated.text)")
      #expect(try await acme.post(Routes.acmeOrder(first)).json["status"] as? String == "valid")
      let chain = try await acme.post(Routes.acmeCertificate(first)).text
      let second = try await acme.attested(token, device)
      #expect(try await acme.finalize(second, device).json["status"] as? String == "valid")
      #expect(try await acme.post(Routes.acmeCertificate(second)).text == chain)
      let other = P256.Signing.PrivateKey()
      let third = try await acme.attested(token, other)
      let taken = try await acme.finalize(third, other)
      #expect(taken.acme == "unauthorized" && !taken.text.contains("Idempotency"), "\(taken.text)")
      #expect(try await acme.stranger.order(token).acme == "unauthorized")
      #expect(try await acme.devices.count == 1)
    }
  }

  @Test(
    "No order comes of a token that is unknown, expired or revoked, of another profile, or of a disabled user")
  func tokens() async throws {
    try await ACMETestClient.with { acme in
      try await acme.profile("sensor")
      let good = try await acme.token()
      for wrong in [good + "x", "lke_" + String(repeating: "A", count: 43), "serial-1", ""] {
        let answer = try await acme.order(wrong)
        #expect(answer.status == 403 && answer.acme == "unauthorized", "\(answer.text)")
      }
      #expect(try await acme.order(good, label: "sensor").acme == "unauthorized")
      #expect(try await acme.order(good, label: "nothing").status == 404)
      #expect(try await acme.order(acme.token("sensor"), label: "sensor").status == 201)
      let (revoked, record) = try await acme.operating.createToken(user: "demo", lifetime: 3600)
      let open = try await acme.attested(revoked, device)
      _ = try await acme.server.store.write { try $0.revokeEnrollmentToken(record.id, at: record.created) }
      #expect(try await acme.order(revoked).acme == "unauthorized")
      #expect(try await acme.finalize(open, device).acme == "unauthorized")
      let short = try await acme.token(lifetime: 60)
      acme.server.clock.advance(by: 61)
      #expect(try await acme.order(short).acme == "unauthorized")
      let late = try await acme.attested(good, device)
      try await acme.operating.disable("demo")
      #expect(try await acme.order(good).acme == "unauthorized")
      #expect(try await acme.finalize(late, device).acme == "unauthorized")
      #expect(try await acme.devices.isEmpty)
    }
  }

  @Test("Identifiers of other types, several, and dates of the client's are refused")
  func orders() async throws {
    try await ACMETestClient.with { acme in
      let identifier = ["type": "permanent-identifier", "value": try await acme.token()]
      func refusal(_ payload: [String: Any]) async throws -> String? {
        try await acme.post(Routes.acmeOrders, payload).acme
      }
      #expect(try await refusal(["identifiers": [["type": "dns", "value": "example.org"]]]) == "unsupportedIdentifier")
      #expect(try await refusal(["identifiers": [identifier, identifier]]) == "malformed")
      #expect(try await refusal(["identifiers": [Any]()]) == "malformed")
      #expect(try await refusal(["identifiers": ["x"]]) == "malformed")
      #expect(try await refusal([:]) == "malformed")
      for date in ["notBefore", "notAfter"] {
        #expect(try await refusal(["identifiers": [identifier], date: "2030-01-01T00:00:00Z"]) == "malformed")
      }
    }
  }

  @Test("An attestation of another account, challenge, TPM or form is refused, and ends its order once and for all")
  func attestations() async throws {
    try await ACMETestClient.with { acme in
      let token = try await acme.token()
      let other = try await acme.made(acme.token())
      let foreign = try await acme.challenge(other)
      let account = try acme.stranger.key
      let wrong: [(String) -> String] = [
        { account.authorization(ofToken: String($0.split(separator: ".")[0])) },
        { "\(foreign).\($0.split(separator: ".")[1])" }, { String($0.split(separator: ".")[0]) }, { _ in "" },
      ]
      for change in wrong {
        let order = try await acme.made(token)
        let answer = try await acme.attest(order, device, challenge: change)
        #expect(answer.status == 403 && answer.acme == "badAttestationStatement", "\(answer.text)")
        // A good one comes too late.
        #expect(try await acme.attest(order, device).json["status"] as? String == "invalid")
        #expect(try await acme.post(Routes.acmeOrder(order)).json["status"] as? String == "invalid")
        #expect(try await acme.post(Routes.acmeAuthorization(order)).json["status"] as? String == "invalid")
        #expect(try await acme.finalize(order, device).acme == "orderNotReady")
      }
      let order = try await acme.made(token)
      #expect(try await acme.attest(order, device, tpm: PaperTPM()).acme == "badAttestationStatement")
      let last = try await acme.made(token)
      for payload in [["attObj": "?"], [:], ["attObj": 7]] as [[String: Any]] {
        #expect(try await acme.post(Routes.acmeChallenge(last), payload).acme == "malformed")
      }
      #expect(try await acme.post(Routes.acmeChallenge(last), ["attObj": ""]).acme == "badAttestationStatement")
      #expect(try await acme.devices.isEmpty)
    }
  }

  @Test("The signing request is of the attested key, and verifies; another one changes nothing")
  func signingRequests() async throws {
    try await ACMETestClient.with { acme in
      let order = try await acme.attested(acme.token(), device)
      #expect(try await acme.finalize(order, P256.Signing.PrivateKey()).acme == "badCSR")
      #expect(try await acme.post(Routes.acmeFinalization(order), ["csr": "AAAA"]).acme == "badCSR")
      var forged = try signingRequest(device)
      forged[forged.count - 1] ^= 1
      #expect(try await acme.post(Routes.acmeFinalization(order), ["csr": Base64URL.encode(forged)]).acme == "badCSR")
      #expect(try await acme.post(Routes.acmeFinalization(order), [String: Any]()).acme == "malformed")
      #expect(try await acme.post(Routes.acmeFinalization(order)).acme == "malformed")
      #expect(try await acme.post(Routes.acmeOrder(order)).json["status"] as? String == "ready")
      #expect(try await acme.finalize(order, device).json["status"] as? String == "valid")
    }
  }

  @Test("A profile that requires a TPM takes no software; one that requires nothing records what was proved")
  func profiles() async throws {
    try await ACMETestClient.with { acme in
      try await acme.profile("hard") { $0.attestation = .tpm }
      for (name, expected) in [("hard", "badAttestationStatement"), ("default", nil)] {
        let order = try await acme.made(acme.token(name))
        let authorization = try acme.key.authorization(ofToken: try await acme.challenge(order))
        let statement = try device.attestation(
          Challenge(id: "", value: Base64Bytes(Array(authorization.utf8)), expiresIn: 60))
        let answer = try await acme.post(Routes.acmeChallenge(order), ["attObj": Base64URL.encode(statement)])
        #expect(answer.acme == expected, "\(name): \(answer.text)")
        if expected == nil {
          // The rules of the moment of registration count.
          try await acme.profile("default") { $0.attestation = .tpm }
          #expect(try await acme.finalize(order, device).acme == "unauthorized")
          try await acme.profile("default")
          #expect(try await acme.finalize(order, device).json["status"] as? String == "valid")
        }
      }
      #expect(try await acme.devices.map(\.identityEvidence) == ["latchkey-software"])
    }
  }

  /// A key that signs while it may.
  private final class HaltingKey: AuthorityKey {
    private let key = FileAuthorityKey()
    let signs = Mutex(true)
    var publicKey: [UInt8] { key.publicKey }

    func sign(_ message: [UInt8]) throws -> [UInt8] {
      guard signs.withLock({ $0 }) else { throw CancellationError() }
      return try key.sign(message)
    }
  }

  @Test("An order whose certificate cannot be issued now is no invalid one: a later request gets the certificate")
  func notNow() async throws {
    let key = HaltingKey()
    try await ACMETestClient.with {
      $0.authority = try CertificateAuthority(
        name: "Halting", key: key, now: $0.clock(), serial: RunningServer.serial())
    } _: { acme in
      try await acme.profile("watched") { $0.approval = .operator }
      let order = try await acme.attested(acme.token("watched"), device, label: "watched")
      #expect(try await acme.finalize(order, device).json["status"] as? String == "processing")
      let pending = try #require(try await acme.operating.pendingDevices().records.first)
      try await acme.operating.decidePendingDevice(pending.id.description, isApproved: true)
      key.signs.withLock { $0 = false }
      for path in [Routes.acmeOrder(order), Routes.acmeCertificate(order)] {
        let answer = try await acme.post(path)
        #expect(answer.status == 503 && answer.acme == "serverInternal", "\(path): \(answer.text)")
      }
      key.signs.withLock { $0 = true }
      #expect(try await acme.post(Routes.acmeOrder(order)).json["status"] as? String == "valid")
      #expect(try await acme.post(Routes.acmeCertificate(order)).status == 200)
    }
  }

  @Test("An authorization is not deactivated, and a certificate is read by POST-as-GET alone")
  func contents() async throws {
    try await ACMETestClient.with { acme in
      let order = try await acme.made(acme.token())
      let ended = try await acme.post(Routes.acmeAuthorization(order), ["status": "deactivated"])
      #expect(ended.acme == "malformed", "\(ended.text)")
      #expect(try await acme.attest(order, device).json["status"] as? String == "valid")
      #expect(try await acme.finalize(order, device).json["status"] as? String == "valid")
      #expect(try await acme.post(Routes.acmeCertificate(order), [String: Any]()).acme == "malformed")
      #expect(try await acme.post(Routes.acmeCertificate(order)).status == 200)
    }
  }

  @Test("Where an approval is required the order is processing until then, and valid or invalid after")
  func approvals() async throws {
    try await ACMETestClient.with { acme in
      try await acme.profile("watched") { $0.approval = .operator }
      for isApproved in [true, false] {
        let key = P256.Signing.PrivateKey()
        let order = try await acme.attested(acme.token("watched"), key, label: "watched")
        let waits = try await acme.finalize(order, key)
        #expect(waits.json["status"] as? String == "processing" && waits.header("retry-after") == "60")
        #expect(try await acme.finalize(order, key).acme == "orderNotReady")
        // An order's own end would be sooner.
        acme.server.clock.advance(by: TimeInterval(ACMEOrders.lifetime + 1))
        #expect(try await acme.post(Routes.acmeOrder(order)).json["status"] as? String == "processing")
        let pending = try #require(
          try await acme.operating.pendingDevices().records.first { $0.identityKey == key.point })
        try await acme.operating.decidePendingDevice(pending.id.description, isApproved: isApproved)
        let done = try await acme.post(Routes.acmeOrder(order))
        #expect(done.json["status"] as? String == (isApproved ? "valid" : "invalid"), "\(done.text)")
        #expect(try await acme.post(Routes.acmeCertificate(order)).status == (isApproved ? 200 : 403))
      }
      #expect(try await acme.devices.map(\.identityEvidence) == ["tpm"])
    }
  }

  @Test("A device revoked, its key ordered again: neither the old order nor a new one gives a certificate")
  func revokedKey() async throws {
    try await ACMETestClient.with { acme in
      let order = try await acme.attested(acme.token(), device)
      #expect(try await acme.finalize(order, device).json["status"] as? String == "valid")
      let id = try #require(try await acme.devices.first?.id)
      try await acme.operating.revokeDevice(id.description, reason: .keyCompromise)
      #expect(try await acme.post(Routes.acmeOrder(order)).json["status"] as? String == "invalid")
      let again = try await acme.attested(acme.token(), device)
      #expect(try await acme.finalize(again, device).acme == "badCSR")
    }
  }

  @Test("Nobody but its account reads an order, and it ends in an hour")
  func strangers() async throws {
    try await ACMETestClient.with { acme in
      let order = try await acme.attested(acme.token(), device)
      for path in [
        Routes.acmeOrder(order), Routes.acmeAuthorization(order), Routes.acmeChallenge(order),
        Routes.acmeCertificate(order), Routes.acmeOrder("x"), Routes.acmeOrder(String(repeating: "A", count: 43)),
      ] {
        let answer = try await acme.stranger.post(path)
        #expect(answer.status == 404 && answer.acme == "malformed", "\(answer.text)")
      }
      #expect(try await acme.stranger.finalize(order, device).status == 404)
      acme.server.clock.advance(by: TimeInterval(ACMEOrders.lifetime - 1))
      #expect(try await acme.post(Routes.acmeOrder(order)).status == 200)
      acme.server.clock.advance(by: 1)
      #expect(try await acme.post(Routes.acmeOrder(order)).status == 404)
      try await Maintenance(services: acme.server.server.services).clean()
      #expect(try await acme.server.store.read { try $0.rows("SELECT id FROM acme_orders") }.isEmpty)
    }
  }

  @Test("A certificate is revoked by its key or its order's account, once, and by nobody else")
  func revocation() async throws {
    try await ACMETestClient.with { acme in
      var holder = acme
      holder.account = device
      func enrolled() async throws -> String {
        let key = P256.Signing.PrivateKey()
        let order = try await acme.attested(acme.token(), key)
        _ = try await acme.finalize(order, key)
        return Base64URL.encode(try await acme.post(Routes.acmeCertificate(order)).leaf)
      }
      func revoke(_ certificate: String, _ by: ACMETestClient, byKey: Bool, reason: Any = 1) async throws -> TestAnswer
      {
        try await by.post(Routes.acmeRevocation, ["certificate": certificate, "reason": reason], byKey: byKey)
      }
      let first = try await enrolled()
      #expect(try await revoke(first, acme.stranger, byKey: true).acme == "unauthorized")
      #expect(try await revoke(first, acme.stranger, byKey: false).acme == "unauthorized")
      // The account's own key is not the certificate's.
      #expect(try await revoke(first, acme, byKey: true).acme == "unauthorized")
      #expect(try await revoke(first, acme, byKey: false, reason: 4).acme == "badRevocationReason")
      #expect(try await revoke(first, acme, byKey: false, reason: "x").acme == "malformed")
      #expect(try await revoke("AAAA", acme, byKey: false).acme == "unauthorized")
      #expect(try await revoke(first, acme, byKey: false).status == 200)
      #expect(try await revoke(first, acme, byKey: false).acme == "alreadyRevoked")
      let order = try await acme.attested(acme.token(), device)
      _ = try await acme.finalize(order, device)
      let own = Base64URL.encode(try await acme.post(Routes.acmeCertificate(order)).leaf)
      #expect(try await revoke(own, holder, byKey: true).status == 200)
      let reasons = try await acme.server.store.read { store in
        try store.devices(of: "demo").flatMap { try store.certificates(of: $0.id) }.map(\.reason)
      }
      #expect(reasons == [1, 1])
      let entries = try await acme.server.store.read { store in
        try store.auditEntries(node: "test", after: 0, limit: 1000).map(\.entry)
      }
      let actors = entries.filter { $0.event == "certificate.revoked" }.map { $0.fields["by"] }
      #expect(actors == ["ACME account \(try acme.key.accountID)", "device"])
    }
  }

  @Test("A user's devices and a token's open orders are held to the limits")
  func limits() async throws {
    try await ACMETestClient.with({ $0.limits.devicesPerUser = 1 }) { acme in
      let order = try await acme.attested(acme.token(), device)
      #expect(try await acme.finalize(order, device).json["status"] as? String == "valid")
      let key = P256.Signing.PrivateKey()
      let second = try await acme.attested(acme.token(), key)
      #expect(try await acme.finalize(second, key).acme == "unauthorized")
      let token = try await acme.token()
      for _ in 0..<8 { #expect(try await acme.order(token).status == 201) }
      let refused = try await acme.order(token)
      #expect(refused.status == 429 && refused.acme == "rateLimited" && refused.header("retry-after") == "3600")
    }
  }
}
