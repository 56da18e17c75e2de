import Crypto
import Foundation
import LatchkeyAttestation
import LatchkeyByteCoding
import LatchkeyCertificateAuthority
import LatchkeyEnclaveKeys
import LatchkeyEnrollmentProtocol
import LatchkeyKeychainModel
import LatchkeySealedMessages
import Testing

@testable import LatchkeyEnrollmentServer

/// The bytes that the pages of the wire show, recomputed. A program of another language made them.
@Suite("The pages of the wire")
struct WirePageTests {
  private let page: WirePage
  private let transfers: WirePage
  private static let created: Int64 = 1_796_083_200
  private static let device = "00112233445566778899aabbccddeeff"
  private static let target = "https://id.example.com:8443/v1/example?page=1"

  init() throws {
    page = try WirePage("EnrollmentProtocol")
    transfers = try WirePage("AccountsAndTransfers")
  }

  private func key(_ name: String) throws -> P256.Signing.PrivateKey {
    try P256.Signing.PrivateKey(rawRepresentation: try page.bytes("keys", "\(name) private"))
  }

  private func publicKey(_ name: String) throws -> P256.Signing.PublicKey {
    try P256.Signing.PublicKey(x963Representation: try page.bytes("keys", "\(name) public"))
  }

  private func isSigned(_ message: [UInt8], _ signature: [UInt8], by name: String) throws -> Bool {
    try publicKey(name).isValidSignature(P256.Signing.ECDSASignature(derRepresentation: signature), for: message)
  }

  @Test("They have all the examples that are recomputed here, and no others")
  func groups() {
    #expect(
      page.names == [
        "keys", "registration", "approval key", "device approval", "named device approval", "tpm", "approval",
        "request", "answer", "asked", "no content",
      ])
    #expect(transfers.names == ["transfer", "dated transfer"])
  }

  @Test("A private key is the hash of its name, and the server's keyid the beginning of its key's hash")
  func keys() throws {
    for name in ["identity", "approval", "answer", "attestation"] {
      let key = try key(name)
      #expect(key.rawRepresentation == Data(SHA256.hash(data: Data("\(name) key".utf8))))
      #expect(try Array(key.publicKey.x963Representation) == page.bytes("keys", "\(name) public"))
    }
    let digest = SHA256.hash(data: try page.bytes("keys", "answer public"))
    #expect(try page.text("keys", "keyid") == Hexadecimal.encode(digest.prefix(8)))
  }

  @Test("A registration's challenge, statement and attestation have the page's bytes")
  func registration() throws {
    let request = try page.bytes("registration", "signing request")
    let identity = try page.bytes("keys", "identity public")
    #expect(try CertificateAuthority.publicKey(ofRequest: request) == identity)
    let challenge = DeviceRegistration.challenge(
      token: try page.text("registration", "token"), signingRequest: request)
    #expect(try challenge == page.bytes("registration", "challenge"))
    let statement = try statement(of: identity, challenge, [.privateKeyUsage])
    #expect(try statement == page.bytes("registration", "statement"))
    let signature = try page.bytes("registration", "sig")
    let raw = Array(try P256.Signing.ECDSASignature(derRepresentation: signature).rawRepresentation)
    let object = try SignedSoftwareStatement(statement: statement, rawSignature: raw).object.encoded
    #expect(try object == page.bytes("registration", "object"))
    let verified = try verify(object, challenge)
    #expect(verified.publicKey == identity && verified.level == .software)
  }

  private func statement(
    of key: [UInt8], _ challenge: [UInt8], _ flags: AccessControl.Flags
  ) throws -> [UInt8] {
    SoftwareStatement(
      publicKey: key, control: AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: flags),
      challengeDigest: Array(SHA256.hash(data: challenge)), created: Self.created
    ).encoded
  }

  private func verify(
    _ object: [UInt8], _ challenge: [UInt8], trust: AttestationTrust = .nothing,
    policy: AttestationPolicy = AttestationPolicy(minimumLevel: .software)
  ) throws -> Attestation {
    try AttestationVerifier(trust: trust, policy: policy)
      .verify(object, challenge: challenge, at: Date(timeIntervalSince1970: TimeInterval(Self.created)))
  }

  @Test("An approval key's attestation verifies, asks its user, and answers no other challenge")
  func approvalKey() throws {
    let (object, value) = (try page.bytes("approval key", "object"), try page.bytes("approval key", "value"))
    let verified = try verify(object, value)
    #expect(try verified.publicKey == page.bytes("keys", "approval public"))
    #expect(verified.stated?.flags == 1 << 0 | 1 << 30 && verified.stated?.accessibility == "aku")
    #expect(try !AttestationVerifier.saysUnguarded(object))
    #expect(try AttestationVerifier.saysUnguarded(page.bytes("registration", "object")))
    #expect(throws: AttestationError.wrongChallenge) { try verify(object, value + [0]) }
  }

  @Test("A login's message has the page's bytes, and the page's signature is the approval key's")
  func login() throws {
    let message = try challenge().signedMessage(purpose: .login)
    #expect(try message == page.bytes("approval key", "login message"))
    #expect(try isSigned(message, page.bytes("approval key", "login signature"), by: "approval"))
  }

  private func challenge() throws -> Challenge {
    Challenge(
      id: "ffeeddccbbaa99887766554433221100", value: Base64Bytes(try page.bytes("approval key", "value")),
      expiresIn: 60)
  }

  @Test("The approval of a new device has the page's bytes, and the page's signature is the approval key's")
  func deviceApproval() throws {
    let key = try page.bytes("keys", "identity public")
    let pending = PendingDevice(
      device: "ffeeddccbbaa99887766554433221100", name: "phone", user: "demo",
      keyDigest: Base64Bytes(Array(SHA256.hash(data: key))), created: 0, expires: 0)
    let content = pending.digest(isApproved: true)
    #expect(try content == page.bytes("device approval", "content"))
    #expect(pending.digest(isApproved: false) != content)
    let message = try challenge().signedMessage(purpose: .enrollment, content: content)
    #expect(try message == page.bytes("device approval", "message"))
    #expect(try isSigned(message, page.bytes("device approval", "signature"), by: "approval"))
    var named = pending
    named.requestedNames = ["dns:a.devices.example", "ip:192.0.2.9"]
    #expect(try named.digest(isApproved: true) == page.bytes("named device approval", "content"))
    let signed = try challenge().signedMessage(purpose: .enrollment, content: named.digest(isApproved: true))
    #expect(try signed == page.bytes("named device approval", "message"))
    #expect(try isSigned(signed, page.bytes("named device approval", "signature"), by: "approval"))
    // Where one name ends counts, as does their order.
    for names in [["dns:a.devices.example,ip:192.0.2.9"], ["ip:192.0.2.9", "dns:a.devices.example"], []] {
      var other = named
      other.requestedNames = names
      #expect(other.digest(isApproved: true) != named.digest(isApproved: true))
    }
  }

  @Test("A TPM's attestation verifies by its pinned key, enforces authorization, and is nothing without the pin")
  func tpm() throws {
    let (object, value) = (try page.bytes("tpm", "object"), try page.bytes("approval key", "value"))
    let pin = Array(try publicKey("attestation").derRepresentation)
    let trust = try AttestationTrust(pinnedKeys: [pin])
    let verified = try verify(
      object, value, trust: trust, policy: AttestationPolicy(requiresAuthorizationEnforcedByHardware: true))
    #expect(try verified.level == .tpm && verified.publicKey == page.bytes("keys", "approval public"))
    let statement = TPMStatement(
      algorithm: -7, certificates: [], signature: try page.bytes("tpm", "sig"),
      certifyInfo: try page.bytes("tpm", "certInfo"), publicArea: try page.bytes("tpm", "pubArea"))
    #expect(statement.object.encoded == object)
    let other = try AttestationTrust(pinnedKeys: [Array(publicKey("identity").derRepresentation)])
    #expect(throws: AttestationError.untrusted) { try verify(object, value, trust: other) }
  }

  @Test("An approval's message and field have the page's bytes")
  func approval() throws {
    let content = Array(SHA256.hash(data: Data(#"{"example":true}"#.utf8)))
    #expect(try content == page.bytes("approval", "content"))
    let message = try challenge().signedMessage(purpose: .transfer, content: content)
    #expect(try message == page.bytes("approval", "message"))
    let signature = try page.bytes("approval", "signature")
    #expect(try isSigned(message, signature, by: "approval"))
    let approval = Approval(challengeID: try challenge().id, signature: Base64Bytes(signature))
    let field = try page.text("approval", "field")
    #expect(try Base64URL.encode(JSONBytes.encode(approval)) == field)
    let json = try #require(Base64URL.decode(field))
    #expect(try JSONDecoder().decode(Approval.self, from: Data(json)) == approval)
  }

  @Test("The digest of a transfer has the page's bytes", arguments: ["transfer", "dated transfer"])
  func transfer(group: String) throws {
    let transfer = try JSONDecoder().decode(Transfer.self, from: Data(transfers.text(group, "body").utf8))
    #expect((transfer.date != nil) == (group == "dated transfer"))
    #expect(try transfer.digest == transfers.bytes(group, "digest"))
    #expect(try transfer.digest == Array(SHA256.hash(data: transfers.bytes(group, "canonical"))))
    let message = try challenge().signedMessage(purpose: .transfer, content: transfer.digest)
    #expect(try message == transfers.bytes(group, "message"))
  }

  // MARK: Signatures

  /// The signature of a field `Signature`, as the signer gives it: in DER.
  private func signature(_ group: String) throws -> [UInt8] {
    let field = try page.text(group, "signature")
    let raw = try Base64.decode(String(field.dropFirst("latchkey=:".count).dropLast()))
    return Array(try P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation)
  }

  /// The fields of a signed message of the page.
  private func check(_ fields: LatchkeySealedMessages.HTTPFields, _ group: String, hasBody: Bool = true) throws {
    #expect(try fields["signature-input"] == page.text(group, "signature-input"))
    #expect(try fields["signature"] == page.text(group, "signature"))
    #expect(try fields["content-digest"] == (hasBody ? page.text(group, "content-digest") : nil))
  }

  private func request() throws -> (message: HTTPRequestMessage, body: [UInt8]) {
    var message = HTTPRequestMessage(
      method: "POST", targetURI: Self.target,
      fields: HTTPFields([
        ("content-type", "application/json"), ("idempotency-key", "example-request-1"),
        ("latchkey-approval", try page.text("approval", "field")),
      ]))
    let body = Array(try page.text("request", "body").utf8)
    try SealedProfile.sign(
      &message, body: body, keyID: Self.device, nonce: "bm9uY2Ugb2YgYSByZXF1ZXN0", now: Self.created
    ) { base in
      #expect(try String(decoding: base, as: UTF8.self) == page.text("request", "base"))
      return try signature("request")
    }
    return (message, body)
  }

  @Test("A signed request has the page's base and fields, and verifies; another body or device does not")
  func signedRequest() throws {
    let (message, body) = try request()
    try check(message.fields, "request")
    let own = try page.bytes("keys", "identity public")
    let key: (String) throws(SealedMessageError) -> [UInt8]? = { $0 == Self.device ? own : nil }
    #expect(try SealedProfile.verify(message, body: body, now: Self.created, publicKey: key).keyID == Self.device)
    #expect(throws: SealedMessageError.notAuthentic) {
      try SealedProfile.verify(message, body: body + [0x20], now: Self.created, publicKey: key)
    }
    #expect(throws: SealedMessageError.notAuthentic) {
      try SealedProfile.verify(message, body: body, now: Self.created) { _ throws(SealedMessageError) in nil }
    }
  }

  private func answer(
    _ group: String, to request: HTTPRequestMessage, status: Int, fields: [(name: String, value: String)]
  ) throws {
    var message = HTTPResponseMessage(status: status, fields: HTTPFields(fields))
    let body = status == 204 ? [] : Array(try page.text(group, "body").utf8)
    try SealedProfile.sign(
      &message, body: body, to: request, keyID: try page.text("keys", "keyid"), now: Self.created
    ) { base in
      #expect(try String(decoding: base, as: UTF8.self) == page.text(group, "base"))
      return try signature(group)
    }
    try check(message.fields, group, hasBody: status != 204)
    let key = try page.bytes("keys", "answer public")
    _ = try SealedProfile.verify(
      message, body: body, to: request, now: Self.created
    ) { _ throws(SealedMessageError) in key }
  }

  @Test("Answers have the page's bases and fields: to a signed request, to one that asks, and without content")
  func answers() throws {
    try answer(
      "answer", to: try request().message, status: 201,
      fields: [("content-type", "application/json"), ("idempotency-replayed", "true")])
    var asked = HTTPRequestMessage(
      method: "GET", targetURI: "https://id.example.com:8443/v1/device", fields: HTTPFields())
    try SealedProfile.ask(&asked, nonce: "bm9uY2Ugb2YgYW4gYW5zd2Vy")
    #expect(try asked.fields["accept-signature"] == page.text("asked", "accept-signature"))
    try answer("asked", to: asked, status: 200, fields: [("content-type", "application/json")])
    asked.method = "POST"
    asked.targetURI = "https://id.example.com:8443/v1/device/revocation"
    try answer("no content", to: asked, status: 204, fields: [])
  }

  @Test("The pages name every route, problem code and tag")
  func names() throws {
    let text = try ["EnrollmentProtocol", "AccountsAndTransfers", "StandardProtocols"].map { name in
      try String(contentsOf: WirePage.file(name), encoding: .utf8)
    }.joined()
    for operation in OpenAPIDocument.operations(services: try bank()) {
      #expect(
        text.contains("`\(operation.path)`") || text.contains("`\(operation.method) \(operation.path)`"),
        "\(operation.path)")
    }
    for code in Problem.Code.allCases { #expect(text.contains("`\(code.rawValue)`"), "\(code.rawValue)") }
    #expect(text.contains(SealedProfile.requestTag) && text.contains(SealedProfile.responseTag))
  }
}
