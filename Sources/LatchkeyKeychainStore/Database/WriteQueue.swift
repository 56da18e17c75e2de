import Dispatch
import LatchkeyKeychainModel
import LatchkeySQLite
import Synchronization

/// A write that waits for a transaction.
protocol WriteRequest: AnyObject, Sendable {
  /// Whether it changes the keys, so that it needs a transaction of its own: later writes must see the new ones.
  var changesKeys: Bool { get }
  /// Runs in `transaction`, and keeps the result until ``answer(_:)``.
  func perform(in transaction: inout WriteTransaction) throws(StoreError)
  /// Ends the wait: nil if the transaction is committed.
  func answer(_ failure: StoreError?)
}

/// A write with a result.
final class Request<Value: Sendable>: WriteRequest {
  let changesKeys: Bool
  private let body: @Sendable (inout WriteTransaction) throws(StoreError) -> Value
  private let outcome = Mutex<(value: Value?, failure: StoreError?)>((nil, nil))

  init(changesKeys: Bool = false, _ body: @escaping @Sendable (inout WriteTransaction) throws(StoreError) -> Value) {
    self.changesKeys = changesKeys
    self.body = body
  }

  func perform(in transaction: inout WriteTransaction) throws(StoreError) {
    let value = try body(&transaction)
    outcome.withLock { $0.value = value }
  }

  func answer(_ failure: StoreError?) { outcome.withLock { $0.failure = failure } }

  func result() throws(StoreError) -> Value {
    let (value, failure) = outcome.withLock { $0 }
    if let failure { throw failure }
    guard let value else { throw .inputOutput("a write was not performed") }
    return value
  }
}

/// Group commit on the threads of the callers: the first to come leads, commits all writes that wait, and wakes their callers.
final class WriteQueue: Sendable {
  /// A write, and where its caller waits: woken when the write is answered, or when the caller is to lead.
  private final class Waiter: Sendable {
    let request: any WriteRequest
    let semaphore = DispatchSemaphore(value: 0)
    let leads = Atomic<Bool>(false)

    init(_ request: any WriteRequest) { self.request = request }
  }

  /// The one leader of the queue.
  private static let leader = 0

  private let queue: Mutex<CommitQueue<Waiter>>
  private let commit: @Sendable ([any WriteRequest]) -> [StoreError?]

  /// A queue whose batches `commit` performs: it returns a failure, or nil, for each request.
  init(_ commit: @escaping @Sendable ([any WriteRequest]) -> [StoreError?]) {
    var limits = CommitQueue<Waiter>.Limits()
    limits.commitsInARow = 64
    queue = Mutex(CommitQueue(limits: limits) { $0.request.changesKeys })
    self.commit = commit
  }

  /// Has `request` performed, and returns once it is on disk, or has failed.
  func submit(_ request: any WriteRequest) {
    let own = Waiter(request)
    if queue.withLock({ $0.insert(own, key: ObjectIdentifier(own)) }) == .waits {
      own.semaphore.wait()
      guard own.leads.load(ordering: .acquiring) else { return }
    }
    lead(from: own)
  }

  private func lead(from own: Waiter) {
    while true {
      switch queue.withLock({ $0.next(for: Self.leader) }) {
      case .commit(let batch):
        for (waiter, failure) in zip(batch, commit(batch.map(\.request))) {
          waiter.request.answer(failure)
          if waiter !== own { waiter.semaphore.signal() }
        }
      case .handOver(let heir):
        heir.leads.store(true, ordering: .releasing)
        heir.semaphore.signal()
        return
      case .idle: return
      }
    }
  }
}
