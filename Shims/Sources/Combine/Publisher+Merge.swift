// Names of Apple's, which Apple documents.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import OpenCombine

extension Publisher {
  /// The values of this publisher and of another, as they come; the first failure ends them.
  public func merge<P: Publisher>(with other: P) -> Publishers.Merge<Self, P>
  where Output == P.Output, Failure == P.Failure {
    Publishers.Merge(self, other)
  }

  /// The values of this publisher and of two others, as they come; the first failure ends them.
  public func merge<B: Publisher, C: Publisher>(
    with b: B, _ c: C
  ) -> Publishers.Merge3<Self, B, C>
  where
    Output == B.Output, Failure == B.Failure,
    Output == C.Output, Failure == C.Failure
  { Publishers.Merge3(self, b, c) }

  /// The values of this publisher and of three others, as they come; the first failure ends them.
  public func merge<B: Publisher, C: Publisher, D: Publisher>(
    with b: B, _ c: C, _ d: D
  ) -> Publishers.Merge4<Self, B, C, D>
  where
    Output == B.Output, Failure == B.Failure,
    Output == C.Output, Failure == C.Failure,
    Output == D.Output, Failure == D.Failure
  { Publishers.Merge4(self, b, c, d) }

  /// The values of this publisher and of four others, as they come; the first failure ends them.
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E
  ) -> Publishers.Merge5<Self, B, C, D, E>
  where
    Output == B.Output, Failure == B.Failure,
    Output == C.Output, Failure == C.Failure,
    Output == D.Output, Failure == D.Failure,
    Output == E.Output, Failure == E.Failure
  { Publishers.Merge5(self, b, c, d, e) }

  /// The values of this publisher and of five others, as they come; the first failure ends them.
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) -> Publishers.Merge6<Self, B, C, D, E, F>
  where
    Output == B.Output, Failure == B.Failure,
    Output == C.Output, Failure == C.Failure,
    Output == D.Output, Failure == D.Failure,
    Output == E.Output, Failure == E.Failure,
    Output == F.Output, Failure == F.Failure
  { Publishers.Merge6(self, b, c, d, e, f) }

  /// The values of this publisher and of six others, as they come; the first failure ends them.
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
  ) -> Publishers.Merge7<Self, B, C, D, E, F, G>
  where
    Output == B.Output, Failure == B.Failure,
    Output == C.Output, Failure == C.Failure,
    Output == D.Output, Failure == D.Failure,
    Output == E.Output, Failure == E.Failure,
    Output == F.Output, Failure == F.Failure,
    Output == G.Output, Failure == G.Failure
  { Publishers.Merge7(self, b, c, d, e, f, g) }

  /// The values of this publisher and of seven others, as they come; the first failure ends them.
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
  ) -> Publishers.Merge8<Self, B, C, D, E, F, G, H>
  where
    Output == B.Output, Failure == B.Failure,
    Output == C.Output, Failure == C.Failure,
    Output == D.Output, Failure == D.Failure,
    Output == E.Output, Failure == E.Failure,
    Output == F.Output, Failure == F.Failure,
    Output == G.Output, Failure == G.Failure,
    Output == H.Output, Failure == H.Failure
  { Publishers.Merge8(self, b, c, d, e, f, g, h) }

  /// The values of this publisher and of another of the same type.
  public func merge(with other: Self) -> Publishers.MergeMany<Self> { Publishers.MergeMany([self, other]) }
}

extension Publishers {
  /// The values of any number of publishers, as they come.
  public struct MergeMany<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let publishers: [Upstream]

    public init(_ upstream: Upstream...) { publishers = upstream }
    public init<Upstreams: Swift.Sequence>(_ upstream: Upstreams) where Upstreams.Element == Upstream {
      publishers = Array(upstream)
    }

    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      MergeSubscription(subscriber, count: publishers.count).start(
        publishers.map { publisher in { publisher.subscribe($0) } })
    }

    public func merge(with other: Upstream) -> Publishers.MergeMany<Upstream> {
      Publishers.MergeMany(publishers + [other])
    }
  }
}
