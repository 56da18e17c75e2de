import Dispatch
import LatchkeyKeychainModel
import Synchronization

/// One writer's wish, waiting for a transaction to take it along.
protocol WriteRequest: AnyObject, Sendable {
  /// Whether it changes the keys, so that it needs a transaction of its own: what comes after it must see the new ones.
  var changesKeys: Bool { get }
  /// Does it in `transaction`, and keeps what came of it until ``answer(_:)``.
  func perform(in transaction: inout WriteTransaction) throws(StoreError)
  /// Ends the wait: nil if the transaction is committed.
  func answer(_ failure: StoreError?)
}

/// A wish with an answer.
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

/// Lets waiting writers share one commit: the first to come leads, takes all that wait along, and answers them after the
/// commit. Who comes meanwhile waits for the next one.
final class WriteQueue: Sendable {
  private struct Waiter {
    let request: any WriteRequest
    let seat: Seat
  }

  /// Where one writer waits: woken when it is answered, or when it is to lead.
  private final class Seat: Sendable {
    let semaphore = DispatchSemaphore(value: 0)
    let leads = Atomic<Bool>(false)
  }

  private struct State {
    var waiting: [Waiter] = []
    var hasLeader = false
  }

  /// So many commits one writer performs for others before another takes over.
  private static let commitsOfOneLeader = 64

  private let state = Mutex(State())
  private let commit: @Sendable ([any WriteRequest]) -> [StoreError?]

  /// A queue whose batches `commit` performs: it gives a failure, or none, for each request.
  init(_ commit: @escaping @Sendable ([any WriteRequest]) -> [StoreError?]) { self.commit = commit }

  /// Has `request` performed, and returns once it is on disk, or has failed.
  func submit(_ request: any WriteRequest) {
    let seat = Seat()
    let leads = state.withLock { state in
      state.waiting.append(Waiter(request: request, seat: seat))
      if state.hasLeader { return false }
      state.hasLeader = true
      return true
    }
    if !leads {
      seat.semaphore.wait()
      guard seat.leads.load(ordering: .acquiring) else { return }
    }
    lead(from: seat)
  }

  private func lead(from own: Seat) {
    for commits in 1... {
      let batch = state.withLock { state in
        defer { state.waiting = [] }
        return state.waiting
      }
      let failures = commit(batch.map(\.request))
      for (waiter, failure) in zip(batch, failures) {
        waiter.request.answer(failure)
        if waiter.seat !== own { waiter.seat.semaphore.signal() }
      }
      let goesOn = state.withLock { state in
        guard let next = state.waiting.first else {
          state.hasLeader = false
          return false
        }
        if commits < Self.commitsOfOneLeader { return true }
        next.seat.leads.store(true, ordering: .releasing)
        next.seat.semaphore.signal()
        return false
      }
      if !goesOn { return }
    }
  }
}
