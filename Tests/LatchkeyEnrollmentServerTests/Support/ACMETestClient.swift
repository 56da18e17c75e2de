import Crypto
import Foundation
import LatchkeyAttestation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import SwiftASN1
import Testing

@testable import LatchkeyEnrollmentServer

/// An ACME client whose requests a test can spoil.
struct ACMETestClient {
  let server: RunningServer
  let client: TestClient
  let tpm: PaperTPM
  var account = P256.Signing.PrivateKey()

  /// A server that believes a TPM's attestation key.
  static func with(
    _ change: (inout ServerConfiguration) throws -> Void = { _ in }, _ body: (ACMETestClient) async throws -> Void
  ) async throws {
    let tpm = PaperTPM()
    let pin = [UInt8](tpm.attestationKey.publicKey.derRepresentation)
    try await RunningServer.with {
      $0.policy.attestationTrust = try AttestationTrust(pinnedKeys: [pin])
      $0.limits.loginsPerMinute = 1000
      try change(&$0)
    } _: { server in
      try await server.withClient { try await body(ACMETestClient(server: server, client: $0, tpm: tpm)) }
    }
  }

  var base: String { server.url }
  var operating: Operator { server.operating }

  /// The same server, another account.
  var stranger: ACMETestClient {
    var other = self
    other.account = P256.Signing.PrivateKey()
    return other
  }

  func token(_ profile: String = "default", device: String? = nil, lifetime: Int64 = 86_400) async throws -> String {
    try await operating.createToken(user: "demo", deviceName: device, profile: profile, lifetime: lifetime).text
  }

  func profile(_ name: String, _ change: (inout DeviceProfile) -> Void = { _ in }) async throws {
    var profile = DeviceProfile(name: name)
    change(&profile)
    try await operating.addProfile(profile, replaces: true)
  }

  // MARK: Requests

  func nonce() async throws -> String {
    try #require(try await client.request("HEAD", Routes.acmeNonce).header("replay-nonce"))
  }

  var jwk: [String: String] {
    let raw = [UInt8](account.publicKey.rawRepresentation)
    return ["kty": "EC", "crv": "P-256", "x": Base64URL.encode(raw[..<32]), "y": Base64URL.encode(raw[32...])]
  }

  var key: ACMEAccountKey {
    get throws { try #require(ACMEAccountKey(point: [UInt8](account.publicKey.x963Representation))) }
  }

  var kid: String { get throws { base + Routes.acmeAccount(try key.accountID) } }

  /// POSTs a signed request; nil for `payload` is POST-as-GET.
  ///
  /// - Parameter spoil: changes the protected header.
  func post(
    _ path: String, _ payload: Any? = nil, byKey: Bool = false, nonce: String? = nil,
    spoil: (inout [String: Any]) -> Void = { _ in }
  ) async throws -> TestAnswer {
    let used: String
    if let nonce { used = nonce } else { used = try await self.nonce() }
    var header: [String: Any] = ["alg": "ES256", "nonce": used, "url": base + path]
    if byKey { header["jwk"] = jwk } else { header["kid"] = try kid }
    spoil(&header)
    return try await send(path, try body(header, payload))
  }

  func body(_ header: [String: Any], _ payload: Any?, by key: P256.Signing.PrivateKey? = nil) throws -> [UInt8] {
    let protected = Base64URL.encode(try JSONSerialization.data(withJSONObject: header))
    let content = try payload.map { Base64URL.encode(try JSONSerialization.data(withJSONObject: $0)) } ?? ""
    let signature = try (key ?? account).signature(for: Array("\(protected).\(content)".utf8)).rawRepresentation
    return Array(
      try JSONSerialization.data(withJSONObject: [
        "protected": protected, "payload": content, "signature": Base64URL.encode(signature),
      ]))
  }

  func send(_ path: String, _ body: [UInt8], type: String = "application/jose+json") async throws -> TestAnswer {
    try await client.request("POST", path, headers: [("content-type", type)], body: body)
  }

  // MARK: Steps

  func order(_ token: String, label: String? = nil) async throws -> TestAnswer {
    try await post(
      label.map { Routes.acmeOrders(label: $0) } ?? Routes.acmeOrders,
      ["identifiers": [["type": "permanent-identifier", "value": token]]])
  }

  /// An order that was made.
  func made(_ token: String, label: String? = nil) async throws -> String {
    let answer = try await order(token, label: label)
    try #require(answer.status == 201, "\(answer.text)")
    return try #require(answer.header("location")?.split(separator: "/").last.map(String.init))
  }

  /// The challenge's token.
  func challenge(_ order: String) async throws -> String {
    let challenges = try await post(Routes.acmeAuthorization(order)).json["challenges"] as? [[String: Any]]
    return try #require(challenges?.first?["token"] as? String)
  }

  /// Answers an order's challenge.
  func attest(
    _ order: String, _ device: P256.Signing.PrivateKey, tpm other: PaperTPM? = nil,
    challenge change: (String) -> String = { $0 }
  ) async throws -> TestAnswer {
    let authorization = change(try key.authorization(ofToken: try await challenge(order)))
    let object = try (other ?? tpm).attestation(of: device.publicKey, challenge: Array(authorization.utf8))
    return try await post(Routes.acmeChallenge(order), ["attObj": Base64URL.encode(object)])
  }

  func finalize(_ order: String, _ device: P256.Signing.PrivateKey) async throws -> TestAnswer {
    try await post(Routes.acmeFinalization(order), ["csr": Base64URL.encode(try signingRequest(device))])
  }

  /// An order up to its challenge's answer.
  func attested(_ token: String, _ device: P256.Signing.PrivateKey, label: String? = nil) async throws -> String {
    let order = try await made(token, label: label)
    let answer = try await attest(order, device)
    try #require(answer.json["status"] as? String == "valid", "\(answer.text)")
    return order
  }

  var devices: [DeviceRecord] { get async throws { try await server.store.read { try $0.devices(of: "demo") } } }
}

extension TestAnswer {
  var json: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]) ?? [:] }
  /// The type of ACME's problem.
  var acme: String? {
    let prefix = "urn:ietf:params:acme:error:"
    guard let type = json["type"] as? String, type.hasPrefix(prefix) else { return nil }
    return String(type.dropFirst(prefix.count))
  }

  /// The first certificate of a chain, DER.
  var leaf: [UInt8] { get throws { try #require(try PEMDocument.parseMultiple(pemString: text).first).derBytes } }
}
