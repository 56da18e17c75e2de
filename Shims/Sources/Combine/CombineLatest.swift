// Names of Apple's, which Apple documents.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import OpenCombine

extension Publishers {
  /// The latest values of two publishers, once each has sent one.
  public struct CombineLatest<A: Publisher, B: Publisher>: Publisher
  where A.Failure == B.Failure {
    public typealias Output = (A.Output, B.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B

    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let latestA = LatestValue<A.Output>()
      let latestB = LatestValue<B.Output>()
      let subscription = LatestSubscription(subscriber, count: 2) {
        guard let a = latestA.value, let b = latestB.value else { return nil }
        return (a, b)
      }
      subscription.start([
        { a.subscribe(LatestSide(subscription: $0, index: $1, latest: latestA)) },
        { b.subscribe(LatestSide(subscription: $0, index: $1, latest: latestB)) },
      ])
    }
  }

  /// The latest values of three publishers, once each has sent one.
  public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where A.Failure == B.Failure, A.Failure == C.Failure {
    public typealias Output = (A.Output, B.Output, C.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C

    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let latestA = LatestValue<A.Output>()
      let latestB = LatestValue<B.Output>()
      let latestC = LatestValue<C.Output>()
      let subscription = LatestSubscription(subscriber, count: 3) {
        guard let a = latestA.value, let b = latestB.value, let c = latestC.value else { return nil }
        return (a, b, c)
      }
      subscription.start([
        { a.subscribe(LatestSide(subscription: $0, index: $1, latest: latestA)) },
        { b.subscribe(LatestSide(subscription: $0, index: $1, latest: latestB)) },
        { c.subscribe(LatestSide(subscription: $0, index: $1, latest: latestC)) },
      ])
    }
  }

  /// The latest values of four publishers, once each has sent one.
  public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where A.Failure == B.Failure, A.Failure == C.Failure, A.Failure == D.Failure {
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C
    public let d: D

    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let latestA = LatestValue<A.Output>()
      let latestB = LatestValue<B.Output>()
      let latestC = LatestValue<C.Output>()
      let latestD = LatestValue<D.Output>()
      let subscription = LatestSubscription(subscriber, count: 4) {
        guard let a = latestA.value, let b = latestB.value, let c = latestC.value, let d = latestD.value else {
          return nil
        }
        return (a, b, c, d)
      }
      subscription.start([
        { a.subscribe(LatestSide(subscription: $0, index: $1, latest: latestA)) },
        { b.subscribe(LatestSide(subscription: $0, index: $1, latest: latestB)) },
        { c.subscribe(LatestSide(subscription: $0, index: $1, latest: latestC)) },
        { d.subscribe(LatestSide(subscription: $0, index: $1, latest: latestD)) },
      ])
    }
  }
}

extension Publisher {
  /// The latest values of this publisher and of another.
  public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P>
  where Failure == P.Failure { Publishers.CombineLatest(self, other) }

  /// What is made of the latest values of this publisher and of another.
  public func combineLatest<P: Publisher, Result>(
    _ other: P, _ transform: @escaping (Output, P.Output) -> Result
  ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, Result>
  where Failure == P.Failure { combineLatest(other).map { transform($0.0, $0.1) } }

  /// The latest values of this publisher and of two others.
  public func combineLatest<P: Publisher, Q: Publisher>(_ publisher1: P, _ publisher2: Q)
    -> Publishers.CombineLatest3<Self, P, Q>
  where Failure == P.Failure, Failure == Q.Failure { Publishers.CombineLatest3(self, publisher1, publisher2) }

  /// What is made of the latest values of this publisher and of two others.
  public func combineLatest<P: Publisher, Q: Publisher, Result>(
    _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> Result
  ) -> Publishers.Map<Publishers.CombineLatest3<Self, P, Q>, Result>
  where Failure == P.Failure, Failure == Q.Failure {
    combineLatest(publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
  }

  /// The latest values of this publisher and of three others.
  public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(_ publisher1: P, _ publisher2: Q, _ publisher3: R)
    -> Publishers.CombineLatest4<Self, P, Q, R>
  where Failure == P.Failure, Failure == Q.Failure, Failure == R.Failure {
    Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
  }

  /// What is made of the latest values of this publisher and of three others.
  public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, Result>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> Result
  ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, Result>
  where Failure == P.Failure, Failure == Q.Failure, Failure == R.Failure {
    combineLatest(publisher1, publisher2, publisher3).map { transform($0.0, $0.1, $0.2, $0.3) }
  }
}
