import Foundation
import LatchkeyEnrollment
import Synchronization

/// What the document's program has beside its listings: the singletons.
final class App: Sendable {
  /// `kResourceBaseURL`, which the document has at yourbankingdomain.com.
  let resourceBaseURL: String
  let host: String
  let port: Int
  /// `kOperationTimeout`, in seconds.
  let operationTimeout: Double
  /// DER: whom the connections believe.
  let root: [UInt8]
  let model = Model()
  let center = NotificationCenter()
  /// `[UIApplication sharedApplication]`.
  let sharedApplication = UIApplication()
  /// `[NSURLCredentialStorage sharedCredentialStorage]`.
  let sharedCredentialStorage = CredentialStorage()
  /// `[NSUserDefaults standardUserDefaults]`.
  let defaults = Defaults()
  private let failure = Mutex<RequestFailure?>(nil)
  private let running = Mutex<[Task<Void, Never>]>([])

  init(host: String, port: Int, root: [UInt8], operationTimeout: Double = 30) {
    (self.host, self.port, self.root, self.operationTimeout) = (host, port, root, operationTimeout)
    resourceBaseURL = "https://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// Where `NSURLAuthenticationMethodClientCertificate` finds what it shows.
  var certSpace: ProtectionSpace {
    ProtectionSpace(host: host, port: port, protocol: .https, realm: "", authenticationMethod: .clientCertificate)
  }

  /// Runs an operation's work as part of the task that started it.
  func run(_ work: @escaping @Sendable () async -> Void) {
    let task = Task { await work() }
    running.withLock { $0.append(task) }
  }

  /// Why the last request failed, which the document's operations do not keep; nil where it did not.
  var lastFailure: RequestFailure? {
    get { failure.withLock { $0 } }
    set { failure.withLock { $0 = newValue } }
  }

  /// Waits until nothing is under way any more, the main queue included.
  ///
  /// - Returns: Whether there was an end: no listing starts more than a few things.
  @discardableResult
  func untilIdle() async -> Bool {
    for _ in 0..<100 {
      guard let task = running.withLock({ $0.popLast() }) else {
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        return true
      }
      await task.value
    }
    return false
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
  func removeAccounts() { state.withLock { $0.accounts = [] } }
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

/// What the listings write to `NSUserDefaults`, as long as the program runs.
final class Defaults: Sendable {
  private let values = Mutex<[String: Bool]>([:])

  func setBool(_ value: Bool, forKey key: String) { values.withLock { $0[key] = value } }
  func bool(forKey key: String) -> Bool { values.withLock { $0[key] ?? false } }
  func synchronize() {}
}
