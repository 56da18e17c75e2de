import Crypto
import Foundation
import LatchkeySealedMessages

/// A request, an answer to it, and who signs them.
enum Sample {
  static let device = P256.Signing.PrivateKey.sample(1)
  static let server = P256.Signing.PrivateKey.sample(2)
  static let now: Int64 = 1_700_000_000
  static let nonce = "bm9uY2Utb2YtMTI4LWJpdA"
  static let body = Array(#"{"from":"654654123123","to":"123123456456","amount":"23.23"}"#.utf8)
  static let answer = Array(#"{"transfer":"7d9f"}"#.utf8)

  /// A transfer with all that the profile covers.
  static func request() -> HTTPRequestMessage {
    HTTPRequestMessage(
      method: "POST", targetURI: "https://bank.example:8443/v1/transfers?dry=0",
      fields: HTTPFields([
        ("Host", "bank.example:8443"), ("Content-Type", "application/json"),
        ("Idempotency-Key", "0123456789abcdef"), ("Latchkey-Approval", "eyJhIjoxfQ"),
      ]))
  }

  static func signedRequest() throws -> HTTPRequestMessage {
    var request = request()
    try SealedProfile.sign(&request, body: body, keyID: "device-1", nonce: nonce, now: now, by: device.sign)
    return request
  }

  static func signedResponse(to request: HTTPRequestMessage) throws -> HTTPResponseMessage {
    var response = HTTPResponseMessage(status: 200, fields: HTTPFields([("Content-Type", "application/json")]))
    try SealedProfile.sign(&response, body: answer, to: request, keyID: "server-1", now: now, by: server.sign)
    return response
  }

  @discardableResult
  static func verify(
    _ request: HTTPRequestMessage, body: [UInt8] = body, now: Int64 = now
  ) throws(SealedMessageError) -> SealedProfile.Verified {
    try SealedProfile.verify(request, body: body, now: now) { keyID in
      keyID == "device-1" ? Array(device.publicKey.x963Representation) : nil
    }
  }

  @discardableResult
  static func verify(
    _ response: HTTPResponseMessage, body: [UInt8] = answer, to request: HTTPRequestMessage, now: Int64 = now
  ) throws(SealedMessageError) -> SealedProfile.Verified {
    try SealedProfile.verify(response, body: body, to: request, now: now) { keyID in
      keyID == "server-1" ? Array(server.publicKey.x963Representation) : nil
    }
  }
}

extension P256.Signing.PrivateKey {
  /// A key that is the same in each run.
  static func sample(_ number: UInt8) -> Self {
    guard let key = try? Self(rawRepresentation: [UInt8](repeating: number, count: 32)) else { fatalError("no key") }
    return key
  }

  /// As `SecKey` signs: DER.
  func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try signature(for: message).derRepresentation) }
}

extension String {
  /// With another byte at a place; what is no UTF-8 then becomes U+FFFD, which is another text as well.
  func altered(at index: Int, by mask: UInt8) -> String {
    var bytes = Array(utf8)
    bytes[index] ^= mask
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension HTTPFields {
  /// Changes the value of a field's only line.
  mutating func change(_ name: String, _ change: (inout String) -> Void) {
    for index in lines.indices where lines[index].name.lowercased() == name.lowercased() {
      change(&lines[index].value)
    }
  }
}
