import Enrollment
import Foundation
import SealedMessages
import Synchronization
import Testing

/// What the document's program has beside its listings: its singletons, of which each test has its own, and where it is told what it
/// told the user.
final class App: Sendable {
  /// `kResourceBaseURL`, which the document has at yourbankingdomain.com.
  let resourceBaseURL: String
  let host: String
  let port: Int
  /// DER: whom the connections believe.
  let root: [UInt8]
  let model = Model()
  let defaults = Defaults()
  let center = NotificationCenter()
  /// `[NSURLCredentialStorage sharedCredentialStorage]`.
  let sharedCredentialStorage = CredentialStorage()
  private let state = Mutex<(alerts: [String], running: [Task<Void, Never>])>(([], []))

  init(host: String, port: Int, root: [UInt8]) {
    (self.host, self.port, self.root) = (host, port, root)
    resourceBaseURL = "https://\(host):\(port)"
  }

  /// Where `NSURLAuthenticationMethodClientCertificate` finds what it shows.
  var certSpace: ProtectionSpace {
    ProtectionSpace(host: host, port: port, protocol: .https, realm: "", authenticationMethod: .clientCertificate)
  }

  /// The messages of the alert views.
  var alerts: [String] { state.withLock { $0.alerts } }

  /// `UIAlertView`.
  func show(title: String, message: String) { state.withLock { $0.alerts.append("\(title): \(message)") } }

  /// Runs an operation's work as part of the task that started it, so that it finds the test's keychain.
  func run(_ work: @escaping @Sendable () async -> Void) {
    let task = Task { await work() }
    state.withLock { $0.running.append(task) }
  }

  /// Waits until nothing is under way any more, the main queue included. No listing starts more than a few things; one that never
  /// ends starting them is found here.
  func untilIdle() async {
    var ended = 0
    while let task = state.withLock({ $0.running.popLast() }) {
      await task.value
      ended += 1
      if ended == 100 {
        Issue.record("an operation hands itself over again and again")
        return
      }
    }
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
  }
}

/// `[Model sharedModel]`.
final class Model: Sendable {
  private let state = Mutex<(token: String?, accounts: [Account])>((nil, []))

  var token: String? {
    get { state.withLock { $0.token } }
    set { state.withLock { $0.token = newValue } }
  }

  var accounts: [Account] { state.withLock { $0.accounts } }
  func add(_ account: Account) { state.withLock { $0.accounts.append(account) } }
}

/// `Account`, as `initWithData:` makes it.
struct Account: Sendable, Hashable {
  var name: String
  var number: String
  var balance: String

  init?(data: [String: Any]) {
    guard let name = data["name"] as? String, let number = data["number"] as? String,
      let balance = data["balance"] as? String
    else { return nil }
    (self.name, self.number, self.balance) = (name, number, balance)
  }
}

/// `[NSUserDefaults standardUserDefaults]`, without the user's own.
final class Defaults: Sendable {
  private let values = Mutex<[String: Bool]>([:])

  func setBool(_ value: Bool, forKey key: String) { values.withLock { $0[key] = value } }
  func bool(forKey key: String) -> Bool { values.withLock { $0[key] ?? false } }
  func synchronize() {}
}

/// The notifications of a centre, in their order.
final class Heard: @unchecked Sendable {
  private let names = Mutex<[String]>([])
  private var observers: [any NSObjectProtocol] = []
  private let center: NotificationCenter

  init(_ center: NotificationCenter) {
    self.center = center
    for name in [
      kNormalLoginSuccessNotification, kNormalLoginFailedNotification, kAccountOperationSuccessful,
      kAccountOperationError, kFundsTransferStartNotification, kFundsTransferSuccessNotification,
      kFundsTransferFailedNotification,
    ] {
      observers.append(
        center.addObserver(forName: name, object: nil, queue: nil) { [weak self] notification in
          self?.names.withLock { $0.append(notification.name.rawValue) }
        })
    }
  }

  deinit { for observer in observers { center.removeObserver(observer) } }

  var all: [String] { names.withLock { $0 } }
}
