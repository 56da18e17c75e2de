internal import HummingbirdCore
internal import NIOCore

/// The producing end of a body that is still arriving when its request begins. For one event loop.
final class RequestRest {
  private typealias Producer = NIOThrowingAsyncSequenceProducer<
    ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Demand
  >

  private struct Demand: NIOAsyncSequenceProducerDelegate {
    let produce: @Sendable () -> Void
    func produceMore() { produce() }
    func didTerminate() { produce() }
  }

  private let source: Producer.Source
  /// Whether the consumer has enough until it asks for more.
  var isFull = false

  private init(_ source: Producer.Source) { self.source = source }

  /// - Parameter onDemand: called when the consumer wants more, on any thread.
  static func sequence(onDemand: @escaping @Sendable () -> Void) -> (body: RequestBody, rest: RequestRest) {
    let both = Producer.makeSequence(
      backPressureStrategy: .init(lowWatermark: 2, highWatermark: 4), finishOnDeinit: true,
      delegate: Demand(produce: onDemand))
    return (RequestBody(asyncSequence: both.sequence), RequestRest(both.source))
  }

  func add(_ bytes: ByteBuffer) {
    if source.yield(bytes) == .stopProducing { isFull = true }
  }

  func end() { source.finish() }

  /// - Parameter error: why no more arrives.
  func end(_ error: any Error) { source.finish(error) }
}
