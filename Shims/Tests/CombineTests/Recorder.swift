import Combine
import Testing

/// A subscriber that notes what it gets, and wants what it is told to want.
final class Recorder<Input, Failure: Error>: Subscriber {
  private(set) var values: [Input] = []
  private(set) var completions: [Subscribers.Completion<Failure>] = []
  private(set) var subscription: (any Subscription)?
  private let wanted: Subscribers.Demand
  /// What is wanted after each value.
  var more = Subscribers.Demand.none
  var onValue: ((Input) -> Void)?

  init(_ wanted: Subscribers.Demand) { self.wanted = wanted }

  func receive(subscription: any Subscription) {
    #expect(self.subscription == nil)
    self.subscription = subscription
    if wanted > .none { subscription.request(wanted) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    #expect(completions.isEmpty)
    values.append(input)
    onValue?(input)
    return more
  }

  func receive(completion: Subscribers.Completion<Failure>) { completions.append(completion) }

  /// As a subscriber does that is at its end.
  func forget() { subscription = nil }
}

/// A publisher that obeys no demand, or notes it.
final class Source<Output, Failure: Error>: Publisher {
  private(set) var requested: [Subscribers.Demand] = []
  private(set) var isCancelled = false
  /// As long as somebody else keeps it.
  private(set) weak var subscription: AnyObject?
  private var subscriber: AnySubscriber<Output, Failure>?
  /// What the subscriber answered to values.
  private(set) var answers: [Subscribers.Demand] = []

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    self.subscriber = AnySubscriber(subscriber)
    let handle = Handle(self)
    subscription = handle
    subscriber.receive(subscription: handle)
  }

  func send(_ value: Output) { if let subscriber { answers.append(subscriber.receive(value)) } }
  func send(completion: Subscribers.Completion<Failure>) { subscriber?.receive(completion: completion) }

  private final class Handle: Subscription {
    private let source: Source
    init(_ source: Source) { self.source = source }
    func request(_ demand: Subscribers.Demand) { source.requested.append(demand) }
    func cancel() { source.isCancelled = true }
  }
}

struct Failed: Error, Equatable {}
