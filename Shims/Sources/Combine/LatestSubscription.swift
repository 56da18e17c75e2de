internal import Foundation
internal import OpenCombine

/// The latest value of one of the publishers; the subscription's lock guards it.
final class LatestValue<Value> {
  var value: Value?
}

/// The latest values of several publishers for one subscriber. Values that come faster than the subscriber wants them replace those
/// before: what is combined when it wants again is the latest.
final class LatestSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable {
  private let downstream: Downstream
  /// `nil` until each publisher has sent a value.
  private let combine: () -> Downstream.Input?
  /// Held while the subscriber is called, by one thread at a time; it may call back.
  private let delivering = NSRecursiveLock()

  private let lock = NSLock()
  private var demand = Subscribers.Demand.none
  private var upstreams: [(any Subscription)?]
  private var unfinished: Int
  private var isNew = false
  private var isEnded = false

  init(_ downstream: Downstream, count: Int, combine: @escaping () -> Downstream.Input?) {
    self.downstream = downstream
    self.combine = combine
    upstreams = Array(repeating: nil, count: count)
    unfinished = count
  }

  /// Subscribes to each publisher in turn, as long as somebody listens.
  func start(_ subscribes: [(LatestSubscription, Int) -> Void]) {
    downstream.receive(subscription: self)
    for (index, subscribe) in subscribes.enumerated() {
      guard !lock.withLock({ isEnded }) else { return }
      subscribe(self, index)
    }
  }

  func request(_ more: Subscribers.Demand) {
    delivering.lock()
    defer { delivering.unlock() }
    lock.withLock { demand += more }
    deliver()
    finishIfDone()
  }

  func cancel() {
    for subscription in end() { subscription.cancel() }
  }

  func receive(_ subscription: any Subscription, _ index: Int) {
    let isWanted = lock.withLock {
      guard !isEnded, upstreams[index] == nil else { return false }
      upstreams[index] = subscription
      return true
    }
    if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
  }

  func receive<Value>(_ value: Value, for latest: LatestValue<Value>) {
    delivering.lock()
    defer { delivering.unlock() }
    lock.withLock {
      latest.value = value
      isNew = true
    }
    deliver()
  }

  func receive(_ completion: Subscribers.Completion<Downstream.Failure>) {
    delivering.lock()
    defer { delivering.unlock() }
    switch completion {
    case .finished:
      lock.withLock { unfinished -= 1 }
      finishIfDone()
    case .failure:
      guard !lock.withLock({ isEnded }) else { return }
      for subscription in end() { subscription.cancel() }
      downstream.receive(completion: completion)
    }
  }

  private func deliver() {
    let values: Downstream.Input? = lock.withLock {
      guard !isEnded, isNew, demand > .none, let values = combine() else { return nil }
      demand -= 1
      isNew = false
      return values
    }
    guard let values else { return }
    let more = downstream.receive(values)
    lock.withLock { demand += more }
  }

  private func finishIfDone() {
    let isDone = lock.withLock {
      let hasMore = isNew && combine() != nil
      guard !isEnded, unfinished == 0, !hasMore else { return false }
      isEnded = true
      upstreams = []
      return true
    }
    if isDone { downstream.receive(completion: .finished) }
  }

  private func end() -> [any Subscription] {
    lock.withLock {
      guard !isEnded else { return [] }
      isEnded = true
      defer { upstreams = upstreams.map { _ in nil } }
      return upstreams.compactMap { $0 }
    }
  }
}

/// What one of the publishers sees.
struct LatestSide<Downstream: Subscriber, Input>: Subscriber {
  typealias Failure = Downstream.Failure

  let combineIdentifier = CombineIdentifier()
  let subscription: LatestSubscription<Downstream>
  let index: Int
  let latest: LatestValue<Input>

  func receive(subscription upstream: any Subscription) { subscription.receive(upstream, index) }
  func receive(_ input: Input) -> Subscribers.Demand {
    subscription.receive(input, for: latest)
    return .none
  }
  func receive(completion: Subscribers.Completion<Failure>) { subscription.receive(completion) }
}
