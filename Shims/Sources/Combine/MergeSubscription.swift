internal import Foundation
internal import OpenCombine

/// Several publishers of the same values for one subscriber. Where the subscriber wants so many values and no more, each publisher is
/// asked for one at a time, and one of each may wait here: nothing grows.
final class MergeSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable {
  private let downstream: Downstream
  /// Held while the subscriber is called, by one thread at a time; it may call back.
  private let delivering = NSRecursiveLock()

  private let lock = NSLock()
  private var demand = Subscribers.Demand.none
  private var upstreams: [Upstream]
  private var waiting: [(index: Int, value: Downstream.Input)] = []
  private var isEnded = false

  private enum Upstream {
    case expected, finished
    case subscribed(any Subscription)
  }

  init(_ downstream: Downstream, count: Int) {
    self.downstream = downstream
    upstreams = Array(repeating: .expected, count: count)
  }

  /// Subscribes to each publisher in turn, as long as somebody listens.
  func start(_ subscribes: [(MergeSide<Downstream>) -> Void]) {
    downstream.receive(subscription: self)
    for (index, subscribe) in subscribes.enumerated() {
      guard !lock.withLock({ isEnded }) else { return }
      subscribe(MergeSide(self, index))
    }
    // Without publishers there is nothing to wait for.
    if subscribes.isEmpty { finishIfDone() }
  }

  func request(_ more: Subscribers.Demand) {
    delivering.lock()
    defer { delivering.unlock() }
    let (wasUnlimited, subscriptions) = lock.withLock {
      defer { demand += more }
      return (demand == .unlimited, more == .unlimited ? live : [])
    }
    deliverWaiting()
    if !wasUnlimited { for subscription in subscriptions { subscription.request(.unlimited) } }
    finishIfDone()
  }

  func cancel() {
    for subscription in end() { subscription.cancel() }
  }

  // MARK: What publishers say

  fileprivate func receive(_ subscription: any Subscription, _ index: Int) {
    let wanted: Subscribers.Demand? = lock.withLock {
      guard !isEnded, case .expected = upstreams[index] else { return nil }
      upstreams[index] = .subscribed(subscription)
      return demand == .unlimited ? .unlimited : .max(1)
    }
    if let wanted { subscription.request(wanted) } else { subscription.cancel() }
  }

  fileprivate func receive(_ value: Downstream.Input, _ index: Int) -> Subscribers.Demand {
    delivering.lock()
    defer { delivering.unlock() }
    let isWanted: Bool = lock.withLock {
      guard !isEnded else { return false }
      guard demand > .none else {
        // A publisher that sends more than it was asked for has its latest value wait.
        waiting.removeAll { $0.index == index }
        waiting.append((index, value))
        return false
      }
      demand -= 1
      return true
    }
    guard isWanted else { return .none }
    let more = downstream.receive(value)
    let isUnlimited = lock.withLock {
      demand += more
      return demand == .unlimited
    }
    deliverWaiting()
    return isUnlimited ? .unlimited : .max(1)
  }

  fileprivate func receive(_ completion: Subscribers.Completion<Downstream.Failure>, _ index: Int) {
    delivering.lock()
    defer { delivering.unlock() }
    switch completion {
    case .finished:
      lock.withLock { upstreams[index] = .finished }
      finishIfDone()
    case .failure:
      lock.withLock { upstreams[index] = .finished }
      guard !lock.withLock({ isEnded }) else { return }
      for subscription in end() { subscription.cancel() }
      downstream.receive(completion: completion)
    }
  }

  // MARK: Innards

  /// Called with the lock held.
  private var live: [any Subscription] {
    upstreams.compactMap { if case .subscribed(let subscription) = $0 { subscription } else { nil } }
  }

  private func deliverWaiting() {
    while true {
      let next: (value: Downstream.Input, subscription: (any Subscription)?)? = lock.withLock {
        guard !isEnded, demand > .none, !waiting.isEmpty else { return nil }
        demand -= 1
        let (index, value) = waiting.removeFirst()
        if case .subscribed(let subscription) = upstreams[index] { return (value, subscription) }
        return (value, nil)
      }
      guard let next else { return }
      let more = downstream.receive(next.value)
      lock.withLock { demand += more }
      next.subscription?.request(.max(1))
    }
  }

  private func finishIfDone() {
    let isDone = lock.withLock {
      let allFinished = upstreams.allSatisfy { if case .finished = $0 { true } else { false } }
      guard !isEnded, allFinished, waiting.isEmpty else { return false }
      isEnded = true
      return true
    }
    if isDone { downstream.receive(completion: .finished) }
  }

  private func end() -> [any Subscription] {
    lock.withLock {
      guard !isEnded else { return [] }
      isEnded = true
      waiting = []
      defer { upstreams = upstreams.map { _ in .finished } }
      return live
    }
  }
}

/// What one of the publishers sees.
struct MergeSide<Downstream: Subscriber>: Subscriber {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  let combineIdentifier = CombineIdentifier()
  private let subscription: MergeSubscription<Downstream>
  private let index: Int

  init(_ subscription: MergeSubscription<Downstream>, _ index: Int) {
    self.subscription = subscription
    self.index = index
  }

  func receive(subscription upstream: any Subscription) { subscription.receive(upstream, index) }
  func receive(_ input: Input) -> Subscribers.Demand { subscription.receive(input, index) }
  func receive(completion: Subscribers.Completion<Failure>) { subscription.receive(completion, index) }
}
