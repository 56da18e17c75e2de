import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeySwiftTesting
import Synchronization
import Testing

@testable import LatchkeyEnrollment

/// Document 002's notifications, as its observers would get them.
@Suite(.temporaryKeychain(typing: "1234")) struct OperationNotificationsTests {
  @Test("A login posts its start, the accounts and its end") func aLoginPostsItsStartTheAccountsAndItsEnd() async throws
  {
    let observer = Observer()
    _ = try await enrolled { $0.notifications = OperationNotifications(center: observer.center) }
    #expect(
      await observer.names(4) == [
        kNormalLoginStartNotification, kAccountOperationStart, kAccountOperationSuccessful,
        kNormalLoginSuccessNotification,
      ])
    #expect(observer.wereAllOnTheMainQueue)
  }

  @Test("Accounts that cannot be verified have the legacy client's words")
  func accountsThatCannotBeVerifiedHaveTheDocumentsWords() async throws {
    let observer = Observer()
    let (service, client) = try await enrolled { $0.notifications = OperationNotifications(center: observer.center) }
    service.fail(Routes.accounts, .altered)
    _ = await failure { try await client.accounts().value }
    #expect(await observer.names(6).suffix(2) == [kAccountOperationStart, kAccountOperationError])
    #expect(observer.messages.last == LegacyEnrollment.cannotVerify)
    #expect(observer.titles.last == "Unsecure Connection")
  }

  @Test("A transfer posts start and end") func aTransferPostsStartAndEnd() async throws {
    let observer = Observer()
    let (_, client) = try await enrolled { $0.notifications = OperationNotifications(center: observer.center) }
    let transfer = Transfer(
      from: "123123456456", to: "654654123123", amount: Amount(minorUnits: 6_666), currency: "EUR")
    _ = await failure { try await client.transfer(transfer).value }
    #expect(
      await observer.names(6).suffix(2) == [kFundsTransferStartNotification, kFundsTransferFailedNotification])
  }

  /// Writes down what is posted.
  private final class Observer: @unchecked Sendable {
    private struct Seen {
      var notifications: [Notification.Name] = []
      var messages: [String] = []
      var titles: [String] = []
      var wereOnMain = true
    }
    // The main queue runs on any thread here: it is known by a mark.
    private static let isMain: DispatchSpecificKey<Bool> = {
      let key = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: key, value: true)
      return key
    }()
    let center = NotificationCenter()
    private let seen = Mutex(Seen())
    private let posted: AsyncStream<Void>

    init() {
      let (stream, continuation) = AsyncStream<Void>.makeStream()
      posted = stream
      _ = Self.isMain
      _ = center.addObserver(forName: nil, object: nil, queue: nil) { [self] notification in
        seen.withLock { seen in
          seen.notifications.append(notification.name)
          if let text = notification.userInfo?["message"] as? String { seen.messages.append(text) }
          if let text = notification.userInfo?["title"] as? String { seen.titles.append(text) }
          if DispatchQueue.getSpecific(key: Self.isMain) != true { seen.wereOnMain = false }
        }
        continuation.yield()
      }
    }

    var messages: [String] { seen.withLock { $0.messages } }
    var titles: [String] { seen.withLock { $0.titles } }
    var wereAllOnTheMainQueue: Bool { seen.withLock { $0.wereOnMain } }

    /// The first so many names, once they are there.
    func names(_ count: Int) async -> [Notification.Name] {
      for await _ in posted where seen.withLock({ $0.notifications.count }) >= count { break }
      return Array(seen.withLock { $0.notifications }.prefix(count))
    }
  }
}
