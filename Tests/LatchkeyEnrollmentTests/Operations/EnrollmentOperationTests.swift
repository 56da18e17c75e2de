import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeyEnrollment

/// Started, then one end, however it comes about and no matter who listens.
@Suite(.temporaryKeychain(typing: "1234")) struct EnrollmentOperationTests {
  @Test("A success posts started and succeeded") func aSuccessIsStartedAndSucceeded() async throws {
    let operation = EnrollmentOperation(.accounts, notifications: nil) { 7 }
    #expect(await names(of: operation) == ["started", "succeeded"])
    #expect(try await operation.value == 7)
  }

  @Test("A failure posts started and failed") func aFailureIsStartedAndFailed() async throws {
    let operation = EnrollmentOperation<Int>(.accounts, notifications: nil) { throw EnrollmentError.notEnrolled }
    #expect(await names(of: operation) == ["started", "failed"])
    #expect(await failure { try await operation.value } == .notEnrolled)
  }

  @Test("A late listener receives all events") func whoListensLateHearsAll() async throws {
    let operation = EnrollmentOperation(.accounts, notifications: nil) { 7 }
    _ = try await operation.value
    #expect(await names(of: operation) == ["started", "succeeded"])
    #expect(await names(of: operation) == ["started", "succeeded"])
  }

  @Test("Cancellation in the middle is the only end") func cancellingInTheMiddleIsTheOneEnd() async throws {
    let (reached, continuation) = AsyncStream<Void>.makeStream()
    let operation = EnrollmentOperation<Int>(.accounts, notifications: nil) {
      continuation.yield()
      try await Task.sleep(for: .seconds(3600))
      return 7
    }
    for await _ in reached { break }
    operation.cancel()
    operation.cancel()
    #expect(await names(of: operation) == ["started", "cancelled"])
    await #expect(throws: CancellationError.self) { try await operation.value }
  }

  @Test("Cancellation at the end changes nothing") func cancellingAtTheEndChangesNothing() async throws {
    let operation = EnrollmentOperation(.accounts, notifications: nil) { 7 }
    _ = try await operation.value
    operation.cancel()
    #expect(await names(of: operation) == ["started", "succeeded"])
  }

  @Test("A canceled waiter cancels the operation") func aCancelledWaiterCancelsTheOperation() async throws {
    let (reached, continuation) = AsyncStream<Void>.makeStream()
    let operation = EnrollmentOperation<Int>(.accounts, notifications: nil) {
      continuation.yield()
      try await Task.sleep(for: .seconds(3600))
      return 7
    }
    let waiting = Task { try await operation.value }
    for await _ in reached { break }
    waiting.cancel()
    #expect(await names(of: operation) == ["started", "cancelled"])
  }

  @Test("A transfer that is canceled after it went out keeps its intent")
  func aTransferThatIsCancelledAfterItWentOutKeepsItsIntent() async throws {
    let (service, client) = try await enrolled()
    service.fail(Routes.transfers, .silence)
    let transfer = Transfer(from: "123123456456", to: "654654123123", amount: Amount(minorUnits: 1), currency: "EUR")
    let operation = client.transfer(transfer)
    await service.arrival(at: Routes.transfers)
    operation.cancel()
    #expect(await names(of: operation) == ["started", "cancelled"])
    #expect(try await client.pendingTransfers().count == 1)
  }

  @Test("Canceling ends the asking for the user") func cancellingEndsTheAskingForTheUser() async throws {
    let user = ScriptedPrompter(always: "1234")
    try await TemporaryKeychain(passcode: "1234", prompter: user).use {
      let (service, client) = try await enrolled()
      _ = try DeviceKey.approval(.userPresence).make(label: client.configuration.approvalKeyLabel)
      let asked = user.questions.count
      user.block()
      let operation = client.transfer(
        Transfer(from: "123123456456", to: "654654123123", amount: Amount(minorUnits: 100_000), currency: "EUR"))
      try await onThread { user.waitUntilAsked(asked + 1) }
      operation.cancel()
      #expect(await names(of: operation) == ["started", "cancelled"])
      #expect(service.bookings == 0)
    }
  }

  private func names<Success>(of operation: EnrollmentOperation<Success>) async -> [String] {
    var names: [String] = []
    for await event in operation.events {
      switch event {
      case .started: names.append("started")
      case .succeeded: names.append("succeeded")
      case .failed: names.append("failed")
      case .cancelled: names.append("cancelled")
      }
    }
    return names
  }
}
