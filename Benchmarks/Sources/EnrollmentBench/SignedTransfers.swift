internal import Crypto
internal import Foundation
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeySealedMessages

/// Transfers as they go over the wire, each behind its length, signed beforehand: the benchmark measures the server.
struct SignedTransfers {
  private let device: String
  private let key: P256.Signing.PrivateKey
  private let authority: String
  /// The first account of these transfers; those to another server begin with another one.
  private let start = Int.random(in: 0..<Preparation.accounts)

  init(folder: String, port: String) throws {
    let preparation = Preparation(folder: folder)
    device = try preparation.identifier().description
    key = try preparation.key("client")
    authority = "localhost:\(port)"
  }

  func write(count: Int, to path: String) throws {
    let now = Int64(Date().timeIntervalSince1970)
    var all = Data()
    for number in 0..<count {
      let request = try bytes(number, now: now)
      withUnsafeBytes(of: UInt32(request.count).bigEndian) { all.append(contentsOf: $0) }
      all.append(request)
    }
    try all.write(to: URL(fileURLWithPath: path))
  }

  private func bytes(_ number: Int, now: Int64) throws -> Data {
    let (message, body) = try message(number, now: now)
    var text = "POST \(Routes.transfers) HTTP/1.1\r\n"
    for line in message.fields.lines { text += "\(line.name): \(line.value)\r\n" }
    return Data(text.utf8) + Data("\r\n".utf8) + Data(body)
  }

  /// A signed transfer and its body.
  func message(_ number: Int, now: Int64) throws -> (message: HTTPRequestMessage, body: [UInt8]) {
    let half = Preparation.accounts / 2
    let number = start + number
    let transfer = Transfer(
      from: Preparation.account(number % half), to: Preparation.account(half + number % half),
      amount: Amount(minorUnits: 1), currency: "EUR", notes: "")
    let body = Array(try JSONEncoder().encode(transfer))
    var message = HTTPRequestMessage(
      method: "POST", targetURI: "https://\(authority)\(Routes.transfers)",
      fields: HTTPFields([
        ("host", authority), ("content-type", "application/json"), ("content-length", "\(body.count)"),
        (HeaderNames.idempotencyKey, Identifier.random().description),
      ]))
    try SealedProfile.sign(
      &message, body: body, keyID: device, nonce: Base64URL.encode(Identifier.random().bytes), now: now
    ) { Array(try key.signature(for: $0).derRepresentation) }
    return (message, body)
  }
}
