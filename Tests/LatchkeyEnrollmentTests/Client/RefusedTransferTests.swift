import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import Security
import Testing

@testable import LatchkeyEnrollment

/// A transfer that wants an approval and does not get it is not booked, and that is known: it is not among those whose end is not.
/// Transfers that may be booked stay among them.
@Suite(.temporaryKeychain(typing: "1234")) struct RefusedTransferTests {
  private let large = Transfer(
    from: "123123456456", to: "654654123123", amount: Amount(minorUnits: 100_000), currency: "EUR")
  private let challenge = Challenge(
    id: "challenge", value: Base64Bytes([UInt8](repeating: 7, count: 32)), expiresIn: 60)

  private func makeKey(_ client: EnrollmentClient) throws {
    _ = try DeviceKey.approval(.userPresence).make(label: client.configuration.approvalKeyLabel)
  }

  /// Runs `body` in a keychain whose user answers like this.
  private func with(
    _ answer: @escaping @Sendable (PresenceQuestion, Cancellation) throws(PresenceError) -> [UInt8],
    body: () async throws -> Void
  ) async throws {
    try await TemporaryKeychain(passcode: "1234", prompter: ClosurePrompter(answer: answer)).use { try await body() }
  }

  /// The intent of this transfer, whatever its standing.
  private func kept() throws -> TransferIntent? { try TransferIntent.pending(large, label: "default") }

  @Test(
    "Without the key, with one that asks nobody, and where the user cancels: nothing is kept, and the error says so")
  func clientRefuses() async throws {
    try await with { (_, _) throws(PresenceError) in
      throw .userCancel
    } body: {
      let (service, client) = try await enrolled()
      let label = client.configuration.approvalKeyLabel
      for key in [nil, DeviceKey.identity, .approval(.userPresence)] as [DeviceKey?] {
        try DeviceKey.delete(label: label)
        _ = try key?.make(label: label)
        switch await failure({ try await client.transfer(large).value }) {
        case .keychain(_, let detail)?, .misuse(let detail)?:
          #expect(detail.hasPrefix("nothing was booked: "), "\(detail)")
        case let error: Issue.record("\(String(describing: error))")
        }
        #expect(try await client.pendingTransfers().isEmpty)
        #expect(try kept() == nil)
      }
      #expect(service.bookings == 0)
    }
  }

  @Test("Where an earlier attempt ended without an answer, it may be carried out still")
  func openAttempt() async throws {
    let (service, client) = try await enrolled()
    service.fail(Routes.transfers, .hangUpBefore)
    guard case .keychain(_, let detail) = await failure({ try await client.transfer(large).value }) else {
      Issue.record("no key is needed")
      return
    }
    #expect(!detail.contains("nothing was booked"))
    #expect(try await client.pendingTransfers().count == 1)
  }

  @Test("A transfer stored by an earlier run or version can still be carried out")
  func earlierRun() async throws {
    let (_, client) = try await enrolled()
    let intent = TransferIntent(transfer: large, idempotencyKey: "a-key-of-before", created: client.configuration.now)
    for standing in [nil, .sent(by: "another")] as [TransferIntent.Standing?] {
      #expect(try intent.keep(label: "default", standing))
      _ = await failure { try await client.transfer(large).value }
      #expect(try await client.pendingTransfers() == [intent])
      try intent.delete(label: "default")
    }
  }

  @Test("A challenge that is refused again after the approval ends it; without the server's signature it does not")
  func refusedAgain() async throws {
    try await with { (_, _) in
      Array("1234".utf8)
    } body: {
      let (service, client) = try await enrolled()
      try makeKey(client)
      let problem = Problem(.approvalRequired, challenge: challenge)
      for (fault, count) in [(FakeService.Fault.refuseSigned(problem), 0), (.refuse(problem), 1)] {
        service.fail(Routes.transfers, .refuseSigned(problem), fault)
        guard case .problem(let reported) = await failure({ try await client.transfer(large).value }) else {
          Issue.record("it is not refused")
          return
        }
        #expect(reported.code == .approvalRequired)
        #expect(try await client.pendingTransfers().count == count)
      }
    }
  }

  @Test("While the user is asked it is not among those whose end is not known; from the approval on it is")
  func whileAsked() async throws {
    try await with { (_, _) throws(PresenceError) in
      guard let pending = try? TransferIntent.pending(label: "default"), pending.isEmpty else {
        throw .authenticationFailed("it is pending while the user is asked")
      }
      return Array("1234".utf8)
    } body: {
      let (service, client) = try await enrolled()
      try makeKey(client)
      service.fail(
        Routes.transfers, .refuseSigned(Problem(.approvalRequired, challenge: challenge)), .hangUpAfter, .hangUpAfter,
        .hangUpAfter, .hangUpAfter, .hangUpAfter)
      let error = await failure { try await client.transfer(large).value }
      let pending = try #require(try await client.pendingTransfers().first)
      #expect(error == .outcomeUnknown(idempotencyKey: pending.idempotencyKey))
      let again = try await client.transfer(large).value
      #expect(again.idempotencyKey == pending.idempotencyKey && service.bookings == 1)
      #expect(try kept() == nil)
    }
  }

  @Test(
    "One that a program left while it asked is sent under its own key; after a day under another, and no end is unknown"
  )
  func leftWhileAsking() async throws {
    try await with { (_, _) in
      Array("1234".utf8)
    } body: {
      let (service, client) = try await enrolled()
      try makeKey(client)
      for age in [0, TransferIntent.lifetime] {
        let left = TransferIntent(
          transfer: large, idempotencyKey: "a-key-of-\(age)", created: client.configuration.now - age)
        #expect(try left.keep(label: "default", .notBooked))
        #expect(try await client.pendingTransfers().isEmpty)
        let outcome = try await client.transfer(large).value
        #expect((outcome.idempotencyKey == left.idempotencyKey) == (age == 0))
        #expect(try kept() == nil)
      }
      #expect(service.bookings == 2)
    }
  }

  @Test("A transfer that another operation has sent meanwhile stays, though this one's user cancels")
  func sharedAndCancelled() async throws {
    try await with { (_, _) throws(PresenceError) in
      if let intent = try? TransferIntent.pending(
        Transfer(from: "123123456456", to: "654654123123", amount: Amount(minorUnits: 100_000), currency: "EUR"),
        label: "default")
      {
        _ = try? intent.stand(.sent(by: "another"), from: .notBooked, label: "default")
      }
      throw .userCancel
    } body: {
      let (_, client) = try await enrolled()
      try makeKey(client)
      _ = await failure { try await client.transfer(large).value }
      #expect(try await client.pendingTransfers().count == 1)
    }
  }

  @Test("A transfer that another operation has ended meanwhile is stored again before the approval is sent")
  func sharedAndEnded() async throws {
    try await with { (_, _) throws(PresenceError) in
      _ = try? Items.delete([kSecClass: kSecClassGenericPassword, kSecAttrService: "latchkey transfers default"])
      return Array("1234".utf8)
    } body: {
      let (service, client) = try await enrolled()
      try makeKey(client)
      service.fail(
        Routes.transfers, .refuseSigned(Problem(.approvalRequired, challenge: challenge)), .hangUpAfter, .hangUpAfter,
        .hangUpAfter, .hangUpAfter, .hangUpAfter)
      let error = await failure { try await client.transfer(large).value }
      #expect(try await client.pendingTransfers().map { .outcomeUnknown(idempotencyKey: $0.idempotencyKey) } == [error])
      #expect(service.bookings == 1)
    }
  }

  @Test("Where another operation has begun the same transfer anew meanwhile, the approval does not go out")
  func sharedAndBegunAnew() async throws {
    let transfer = large
    let other = TransferIntent(transfer: large, idempotencyKey: "a-key-of-another", created: 1)
    try await with { (_, _) throws(PresenceError) in
      _ = try? Items.delete([kSecClass: kSecClassGenericPassword, kSecAttrService: "latchkey transfers default"])
      _ = try? other.keep(label: "default", .sent(by: "another"))
      return Array("1234".utf8)
    } body: {
      let (service, client) = try await enrolled()
      try makeKey(client)
      guard case .misuse = await failure({ try await client.transfer(transfer).value }) else {
        Issue.record("it is sent twice")
        return
      }
      #expect(service.bookings == 0)
      #expect(try await client.pendingTransfers() == [other])
    }
  }
}
