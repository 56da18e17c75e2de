import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import LatchkeySealedMessages
import LatchkeySwiftTesting
import LatchkeyTLSTestSupport
import Security
import Synchronization
import Testing

@testable import LatchkeyEnrollment

/// Transfers are booked once, and their outcome is reported truly, whatever the server and the line do.
@Suite(.temporaryKeychain(typing: "1234")) struct TransferTests {
  private let small = Transfer(
    from: "123123456456", to: "654654123123", amount: Amount(minorUnits: 2323), currency: "EUR",
    notes: "Book advance to savings.")
  private let large = Transfer(
    from: "123123456456", to: "654654123123", amount: Amount(minorUnits: 100_000), currency: "EUR")

  @Test("A transfer is signed by the identity key under the device's name")
  func aTransferIsSignedByTheIdentityKeyUnderTheDevicesName() async throws {
    let (service, client) = try await enrolled()
    let outcome = try await client.transfer(small).value
    #expect(outcome.receipt.amount == small.amount)
    #expect(!outcome.isApproved)
    let sent = try #require(service.requests(Routes.transfers).first)
    let identity = try #require(try await client.identity())
    let key = try identity.identity.key.publicKeyX963()
    let message = HTTPRequestMessage(
      method: "POST", targetURI: "https://localhost:\(service.server.port)\(Routes.transfers)",
      fields: HTTPFields(sent.fields.map { ($0.name, $0.value) }))
    let named: (String) throws(SealedMessageError) -> [UInt8]? = { $0 == identity.device ? key : nil }
    let verified = try SealedProfile.verify(
      message, body: sent.body, now: Int64(Date().timeIntervalSince1970), publicKey: named)
    #expect(verified.keyID == identity.device)
    #expect(try await client.pendingTransfers().isEmpty)
  }

  @Test("A date is sent, signed and shown in the receipt") func aDateIsSentSignedAndIsInTheReceipt() async throws {
    let (service, client) = try await enrolled()
    var dated = small
    dated.date = 1_796_083_200
    #expect(try await client.transfer(dated).value.receipt.date == 1_796_083_200)
    let sent = service.requests(Routes.transfers).map { String(decoding: $0.body, as: UTF8.self) }
    #expect(sent.count == 1 && sent[0].contains("\"date\":1796083200"))
    #expect(try await client.transfer(small).value.receipt.date == nil)
    #expect(
      service.requests(Routes.transfers).last.map { String(decoding: $0.body, as: UTF8.self).contains("date") } == false
    )
  }

  @Test("A server that ignores the date is detected") func aServerThatReadsPastTheDateIsFoundOut() async throws {
    let (service, client) = try await enrolled()
    let dated = Transfer(
      from: small.from, to: small.to, amount: small.amount, currency: "EUR", notes: "to an old server", date: 86_400)
    let error = await failure { try await client.transfer(dated).value }
    guard case .cannotVerify(let detail) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(detail.contains("is booked"))
    #expect(service.bookings == 1)
    // It stays, with its date: the same one again is not booked twice.
    #expect(try await client.pendingTransfers().map(\.transfer) == [dated])
    _ = await failure { try await client.transfer(dated).value }
    #expect(service.bookings == 1)
  }

  @Test("A transfer stored before transfers had dates is finished") func aTransferKeptBeforeThereWereDatesIsFinished()
    async throws
  {
    let (service, client) = try await enrolled()
    let old = TransferIntent(
      transfer: small, idempotencyKey: "a-key-of-an-older-client", created: client.configuration.now)
    #expect(!String(decoding: try JSONEncoder().encode(old), as: UTF8.self).contains("date"))
    #expect(try old.keep(label: "default"))
    var dated = small
    dated.date = 86_400
    #expect(try await client.transfer(dated).value.idempotencyKey != old.idempotencyKey)
    #expect(try await client.transfer(small).value.idempotencyKey == old.idempotencyKey)
    #expect(service.bookings == 2)
  }

  @Test("A lost answer is asked for under the same key") func aLostAnswerIsAskedForUnderTheSameKey() async throws {
    let (service, client) = try await enrolled()
    service.fail(Routes.transfers, .hangUpAfter)
    _ = try await client.transfer(small).value
    let sent = service.requests(Routes.transfers)
    #expect(sent.count == 2)
    #expect(Set(sent.map { $0[HeaderNames.idempotencyKey] }).count == 1)
    // Each attempt is signed anew: the same nonce would be a replay.
    #expect(Set(sent.map { $0["signature-input"] }).count == 2)
    #expect(service.bookings == 1)
  }

  @Test("A transfer whose key is changed before it can sign is signed by the new one")
  func aTransferWhoseKeyIsChangedBeforeItCanSignIsSignedByTheNewOne() async throws {
    let meanwhile = Meanwhile()
    let (service, client) = try await enrolled { $0.sleep = { _ in await meanwhile.run() } }
    let old = try #require(try await client.identity())
    meanwhile.body.withLock { $0 = { _ = try? await client.renew(changingKey: true).value } }
    // The first attempt is answered so; the key is changed before the next.
    service.fail(Routes.transfers, .refuse(Problem(.unavailable)))
    let outcome = try await client.transfer(small).value
    #expect(outcome.receipt.amount == small.amount)
    #expect(service.bookings == 1)
    let sent = service.requests(Routes.transfers)
    #expect(Set(sent.map { $0[HeaderNames.idempotencyKey] }).count == 1)
    #expect(try await client.identity()?.identity.key != old.identity.key)
    #expect(try await client.pendingTransfers().isEmpty)
  }

  @Test("A transfer whose key is gone for good is not sent") func aTransferWhoseKeyIsGoneForGoodIsNotSent() async throws
  {
    let meanwhile = Meanwhile()
    let (service, client) = try await enrolled { $0.sleep = { _ in await meanwhile.run() } }
    let label = client.configuration.identityKeyLabel
    meanwhile.body.withLock { $0 = { try? DeviceKey.delete(label: label) } }
    service.fail(Routes.transfers, .refuse(Problem(.unavailable)))
    #expect(await failure { try await client.transfer(small).value } == .notEnrolled)
    #expect(service.bookings == 0)
    #expect(try await client.pendingTransfers().count == 1)
  }

  /// An event that happens once while a client waits before it sends again.
  private final class Meanwhile: Sendable {
    let body = Mutex<(@Sendable () async -> Void)?>(nil)

    func run() async {
      let once = body.withLock { body in
        defer { body = nil }
        return body
      }
      await once?()
    }
  }

  @Test("An unknown outcome is reported as unknown, and the next attempt finishes the transfer")
  func anOpenEndIsReportedAndTheNextTryFinishesIt() async throws {
    let (service, client) = try await enrolled()
    service.fail(Routes.transfers, .hangUpAfter, .hangUpAfter, .hangUpAfter, .hangUpAfter, .hangUpAfter)
    let error = await failure { try await client.transfer(small).value }
    let pending = try await client.pendingTransfers()
    #expect(pending.count == 1)
    #expect(error == .outcomeUnknown(idempotencyKey: try #require(pending.first).idempotencyKey))
    #expect(service.requests(Routes.transfers).count == 5)
    // As another process.
    let again = EnrollmentClient(try service.configuration())
    let outcome = try await again.transfer(small).value
    #expect(outcome.idempotencyKey == pending.first?.idempotencyKey)
    #expect(service.bookings == 1)
    #expect(try await again.pendingTransfers().isEmpty)
  }

  @Test("The same transfer requested again is another transfer") func theSameTransferWantedAgainIsAnother() async throws
  {
    let (service, client) = try await enrolled()
    let first = try await client.transfer(small).value
    let second = try await client.transfer(small).value
    #expect(first.idempotencyKey != second.idempotencyKey)
    #expect(service.bookings == 2)
  }

  @Test("An intent that is too old is not sent") func anIntentThatIsTooOldIsNotSent() async throws {
    let (service, client) = try await enrolled()
    let intent = TransferIntent(
      transfer: small, idempotencyKey: "an-old-key-of-yesterday",
      created: client.configuration.now - TransferIntent.lifetime)
    #expect(try intent.keep(label: "default"))
    let error = await failure { try await client.transfer(small).value }
    #expect(error == .outcomeUnknown(idempotencyKey: intent.idempotencyKey))
    #expect(service.requests(Routes.transfers).isEmpty)
    #expect(try await client.transfer(small).value.idempotencyKey != intent.idempotencyKey)
  }

  @Test("A large transfer is approved by the guarded key") func aLargeTransferIsApprovedByTheGuardedKey() async throws {
    let user = ScriptedPrompter(always: "1234")
    try await TemporaryKeychain(passcode: "1234", prompter: user).use {
      let (service, client) = try await enrolled()
      let key = try DeviceKey.approval(.userPresence).make(label: client.configuration.approvalKeyLabel)
      let asked = user.questions.count
      let outcome = try await client.transfer(large).value
      #expect(outcome.isApproved)
      #expect(user.questions.count == asked + 1)
      #expect(user.questions.last?.reason.contains("1000.00 EUR") == true)
      let sent = service.requests(Routes.transfers)
      #expect(sent.count == 2)
      #expect(Set(sent.map { $0[HeaderNames.idempotencyKey] }).count == 1)
      // The approval is for this transfer, as the device wants it.
      let approval = try approval(in: sent[1])
      let challenge = Challenge(
        id: "challenge", value: Base64Bytes([UInt8](repeating: 7, count: 32)), expiresIn: 60)
      let message = challenge.signedMessage(purpose: .transfer, content: large.digest)
      let half = try #require(SecKeyCopyPublicKey(key))
      #expect(
        SecKeyVerifySignature(
          half, .ecdsaSignatureMessageX962SHA256, Data(message) as CFData,
          Data(approval.signature.bytes) as CFData, nil))
    }
  }

  @Test("A user who declines books nothing") func aUserWhoDeclinesBooksNothing() async throws {
    try await TemporaryKeychain(passcode: "1234", prompter: ScriptedPrompter(otherwise: .fails(.userCancel))).use {
      let (service, client) = try await enrolled()
      _ = try DeviceKey.approval(.userPresence).make(label: client.configuration.approvalKeyLabel)
      let error = await failure { try await client.transfer(large).value }
      guard case .keychain(errSecUserCanceled, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(service.bookings == 0)
    }
  }

  @Test("A challenge that is not the server's is not signed") func aChallengeThatIsNotTheServersIsNotSigned()
    async throws
  {
    let user = ScriptedPrompter(always: "1234")
    try await TemporaryKeychain(passcode: "1234", prompter: user).use {
      let (service, client) = try await enrolled()
      _ = try DeviceKey.approval(.userPresence).make(label: client.configuration.approvalKeyLabel)
      let asked = user.questions.count
      let challenge = Challenge(id: "challenge", value: Base64Bytes([UInt8](repeating: 1, count: 32)), expiresIn: 60)
      service.fail(Routes.transfers, .refuse(Problem(.approvalRequired, challenge: challenge)))
      let error = await failure { try await client.transfer(large).value }
      guard case .cannotVerify = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(user.questions.count == asked)
    }
  }

  @Test("A refusal under the server's signature ends the intent") func aRefusalUnderTheServersSignatureEndsTheIntent()
    async throws
  {
    let (service, client) = try await enrolled()
    var transfer = small
    transfer.amount = Amount(minorUnits: 6_666)
    let error = await failure { try await client.transfer(transfer).value }
    guard case .problem(let problem) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(problem.code == .insufficientFunds)
    #expect(service.requests(Routes.transfers).count == 1)
    #expect(try await client.pendingTransfers().isEmpty)
  }

  @Test("An unsigned refusal does not end the intent") func aRefusalThatAnybodyCouldHaveMadeDoesNotEndTheIntent()
    async throws
  {
    let (service, client) = try await enrolled()
    service.fail(Routes.transfers, .refuse(Problem(.insufficientFunds)))
    _ = await failure { try await client.transfer(small).value }
    #expect(try await client.pendingTransfers().count == 1)
  }

  @Test("A refusal after a lost answer does not say that nothing was booked")
  func aRefusalAfterALostAnswerDoesNotSayThatNothingWasBooked() async throws {
    let (service, client) = try await enrolled()
    service.fail(Routes.transfers, .hangUpAfter, .refuse(Problem(.revoked)))
    let error = await failure { try await client.transfer(small).value }
    guard case .outcomeUnknown = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await client.pendingTransfers().count == 1)
  }

  @Test(
    "An answer that is not the server's is not believed",
    arguments: ["unsigned", "signedByAnother", "signedForAnother", "altered"])
  func anAnswerThatIsNotTheServersIsNotBelieved(_ name: String) async throws {
    let (service, client) = try await enrolled()
    let fault: FakeService.Fault =
      switch name {
      case "unsigned": .unsigned
      case "signedByAnother": .signedByAnother
      case "signedForAnother": .signedForAnother
      default: .altered
      }
    service.fail(Routes.transfers, fault)
    let error = await failure { try await client.transfer(small).value }
    guard case .cannotVerify = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    // Booked, perhaps: the next try finds out.
    #expect(try await client.transfer(small).value.receipt.amount == small.amount)
    #expect(service.bookings == 1)
  }

  @Test("An answer that was not made for this request is refused", arguments: ["unsigned", "signedForEarlier"])
  func anAnswerThatWasNotMadeForThisQuestionIsNotBelieved(_ name: String) async throws {
    let (service, client) = try await enrolled()
    service.fail(Routes.accounts, name == "unsigned" ? .unsigned : .signedForEarlier)
    let error = await failure { try await client.accounts().value }
    guard case .cannotVerify = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    _ = try await client.accounts().value
    let asked = service.requests(Routes.accounts).compactMap { $0["accept-signature"] }
    #expect(asked.count >= 2 && Set(asked).count == asked.count)
  }

  // MARK: Helpers of the tests

  private func approval(in request: LittleRequest) throws -> Approval {
    let text = try #require(request[HeaderNames.approval])
    let padded = text.replacing("-", with: "+").replacing("_", with: "/")
      .padding(toLength: (text.count + 3) / 4 * 4, withPad: "=", startingAt: 0)
    return try JSONDecoder().decode(Approval.self, from: try #require(Data(base64Encoded: padded)))
  }
}

/// A service, and a device that is enrolled there.
func enrolled(
  _ change: (inout EnrollmentConfiguration) -> Void = { _ in }
) async throws -> (service: FakeService, client: EnrollmentClient) {
  let service = try await FakeService()
  var configuration = try service.configuration()
  change(&configuration)
  let client = EnrollmentClient(configuration)
  _ = try await client.logIn(user: "demo", password: "open sesame", deviceName: "my device").value
  return (service, client)
}
