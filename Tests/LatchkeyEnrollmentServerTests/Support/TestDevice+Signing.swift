import LatchkeyLedger
import LatchkeyServerTestSupport
import AsyncHTTPClient
import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeySealedMessages

/// A request about money, as a device makes it, with what its answer must be bound to.
struct SignedRequest: Sendable {
  var message: HTTPRequestMessage
  var body: [UInt8]
}

extension RunningServer {
  var now: Int64 { Int64(clock.now.timeIntervalSince1970.rounded(.down)) }

  /// Signs a request as `device`; `change` may put it into disorder first.
  func signed(
    by device: TestDevice, _ method: String = "POST", _ path: String = Routes.transfers, body: [UInt8],
    key: String? = Identifier.random().description, nonce: String = Base64URL.encode(Identifier.random().bytes),
    approval: Approval? = nil, keyID: String? = nil, created: Int64? = nil, authority: String? = nil
  ) throws -> SignedRequest {
    var fields = [("content-type", "application/json")]
    if let key { fields.append((HeaderNames.idempotencyKey, key)) }
    if let approval {
      fields.append((HeaderNames.approval, Base64URL.encode(try JSONEncoder().encode(approval))))
    }
    var message = HTTPRequestMessage(
      method: method, targetURI: "https://\(authority ?? "localhost:\(port)")\(path)", fields: HTTPFields(fields))
    try SealedProfile.sign(
      &message, body: body, keyID: keyID ?? device.id.description, nonce: nonce, now: created ?? now
    ) { Array(try device.key.signature(for: $0).derRepresentation) }
    return SignedRequest(message: message, body: body)
  }

  /// A question whose answer is to be signed.
  func question(_ method: String = "GET", _ path: String) throws -> HTTPRequestMessage {
    var message = HTTPRequestMessage(method: method, targetURI: url + path, fields: HTTPFields())
    try SealedProfile.ask(&message, nonce: Base64URL.encode(Identifier.random().bytes))
    return message
  }

  /// Opens two accounts of `user`, the first with 1 000.00 EUR.
  func openAccounts(of user: UserName = "demo") async throws -> (from: String, to: String) {
    let numbers = (0..<2).map { _ in String(UInt64.random(in: 100_000_000_000...999_999_999_999)) }
    try await store.write { transaction in
      let house = try transaction.houseAccount(currency: "EUR")
      for number in numbers {
        _ = try transaction.addAccount(
          AccountRecord(number: number, user: user, name: "Checking", currency: "EUR", balance: 0))
      }
      _ = try transaction.book(
        Booking(
          id: .random(), from: house.number, to: numbers[0], amount: 100_000, currency: "EUR", notes: "", booked: 1,
          device: nil))
    }
    return (numbers[0], numbers[1])
  }

  func balance(_ number: String) async throws -> Int64? { try await store.read { try $0.account(number)?.balance } }

  /// The result of verifying an answer to `request`.
  func verified(_ answer: TestAnswer, to request: HTTPRequestMessage) throws -> SealedProfile.Verified {
    try SealedProfile.verify(
      HTTPResponseMessage(status: answer.status, fields: HTTPFields(answer.headers)), body: answer.body, to: request,
      now: now
    ) { [answerKey] (_: String) throws(SealedMessageError) in answerKey.publicKey }
  }
}

extension TestClient {
  /// Sends a question without a body.
  func ask(_ question: HTTPRequestMessage) async throws -> TestAnswer {
    try await send(SignedRequest(message: question, body: []))
  }

  func send(_ request: SignedRequest) async throws -> TestAnswer {
    let path = String(request.message.targetURI.dropFirst("https://".count).drop { $0 != "/" })
    return try await self.request(
      request.message.method, path, headers: request.message.fields.lines.map { ($0.name, $0.value) },
      body: request.body.isEmpty ? nil : request.body)
  }
}
