import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import SwiftASN1
import Testing
import X509

@testable import LatchkeyEnrollmentServer

extension RunningServer {
  /// What the operator does, by this server's clock.
  var operating: Operator {
    let clock = clock
    return Operator(store, passwordCost: 10, clock: { clock.now })
  }

  /// A device of `demo` that is registered over the wire.
  func enrolled(
    _ name: String = "phone", token: String? = nil, key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()
  ) async throws -> TestDevice {
    let answer = try await withClient { client in
      let bearer: String
      if let token { bearer = token } else { bearer = try await client.token() }
      return try await client.register(name, token: bearer, key: key)
    }
    try #require(answer.status == 201, "\(answer.text)")
    return try answer.device(key)
  }

  /// A decision of `device` about a pending one, with a challenge of its own.
  func decision(
    _ pending: PendingDevice, isApproved: Bool = true, by device: TestDevice
  ) async throws -> TestAnswer {
    let content = pending.digest(isApproved: isApproved)
    return try await withClient(device) { client in
      let asked = try await client.post(
        Routes.challenges, ChallengeRequest(purpose: .enrollment, content: Base64Bytes(content)))
      let challenge = try asked.decoded(Challenge.self)
      return try await client.post(
        Routes.deviceApproval,
        DeviceDecision(
          device: pending.device, isApproved: isApproved, challengeID: challenge.id,
          signature: try device.key.signature(of: challenge, .enrollment, content)))
    }
  }

  /// A renewal after the certificate's end, by the proof of the device's key.
  func lateRenewal(of device: TestDevice) async throws -> TestAnswer {
    let request = try signingRequest(device.key)
    let content = Array(SHA256.hash(data: request))
    return try await withClient { client in
      let asked = try await client.post(
        Routes.challenges,
        ChallengeRequest(purpose: .renewal, device: device.id.description, content: Base64Bytes(content)))
      let challenge = try asked.decoded(Challenge.self)
      return try await client.post(
        Routes.expiredRenewal,
        ExpiredRenewal(
          device: device.id.description, challengeID: challenge.id,
          signature: try device.key.signature(of: challenge, .renewal, content), signingRequest: Base64Bytes(request)))
    }
  }

  /// A renewal over the device's certificate.
  func renewal(of device: TestDevice, key: P256.Signing.PrivateKey? = nil) async throws -> TestAnswer {
    let request = RenewalRequest(signingRequest: Base64Bytes(try signingRequest(key ?? device.key)))
    return try await withClient(device) { try await $0.post(Routes.renewal, request) }
  }
}

extension TestClient {
  /// A session of `demo`.
  func token() async throws -> String {
    let login = PasswordLogin(user: "demo", password: RunningServer.password)
    return try await post(Routes.login, login).decoded(LoginAnswer.self).token
  }

  /// Registers a device; the same arguments are the same request.
  func register(
    _ name: String = "phone", token: String, key: P256.Signing.PrivateKey, request: [UInt8]? = nil,
    idempotencyKey: String = Identifier.random().description,
    attestation: ([UInt8]) throws -> [UInt8]? = { _ in nil }
  ) async throws -> TestAnswer {
    let request = try request ?? signingRequest(key)
    let statement = try attestation(DeviceRegistration.challenge(token: token, signingRequest: request))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let body = try encoder.encode(
      DeviceRegistration(
        name: name, signingRequest: Base64Bytes(request), attestation: statement.map(Base64Bytes.init)))
    return try await self.request(
      "POST", Routes.devices,
      headers: [
        ("authorization", "Bearer \(token)"), (HeaderNames.idempotencyKey, idempotencyKey),
        ("content-type", "application/json"),
      ], body: Array(body))
  }

  /// Sends a signing request by EST, as `demo` with the password unless a certificate is shown.
  func est(_ path: String, _ request: [UInt8], byPassword: Bool = false) async throws -> TestAnswer {
    let login = Data("demo:\(RunningServer.password)".utf8).base64EncodedString()
    return try await self.request(
      "POST", path,
      headers: [("content-type", "application/pkcs10")] + (byPassword ? [("authorization", "Basic \(login)")] : []),
      body: Array(Data(request).base64EncodedString().utf8))
  }
}

extension TestAnswer {
  /// The device that was enrolled or renewed.
  func device(_ key: P256.Signing.PrivateKey) throws -> TestDevice {
    let enrolled = try decoded(EnrolledDevice.self)
    return TestDevice(
      id: try #require(Identifier(enrolled.device)), user: UserName(stored: enrolled.user), key: key,
      certificate: enrolled.certificates[0].bytes)
  }
}

extension TestDevice {
  /// The alternative names of the certificate.
  var names: [String] {
    get throws {
      let certificate = try Certificate(derEncoded: certificate)
      return try #require(try certificate.extensions.subjectAlternativeNames).map { name in
        switch name {
        case .dnsName(let text), .uniformResourceIdentifier(let text): text
        default: "\(name)"
        }
      }
    }
  }

  /// A signing request with the certificate's subject and these alternative names: the certificate's own, if they are left out.
  func request(
    _ names: [GeneralName]? = nil, key: P256.Signing.PrivateKey? = nil
  ) throws -> [UInt8] {
    let certificate = try Certificate(derEncoded: certificate)
    let wanted = try names ?? Array(#require(try certificate.extensions.subjectAlternativeNames))
    let extensions = try Certificate.Extensions { SubjectAlternativeNames(wanted) }
    let request = try CertificateSigningRequest(
      version: .v1, subject: certificate.subject, privateKey: Certificate.PrivateKey(key ?? self.key),
      attributes: CertificateSigningRequest.Attributes([
        CertificateSigningRequest.Attribute(ExtensionRequest(extensions: extensions))
      ]))
    var serializer = DER.Serializer()
    try serializer.serialize(request)
    return serializer.serializedBytes
  }
}
