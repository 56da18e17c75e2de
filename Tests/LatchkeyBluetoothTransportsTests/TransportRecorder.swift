import LatchkeyBluetoothTransports
import Synchronization

/// The calls that a receiver got from its transport, to be awaited in order.
final class TransportRecorder: ControllerTransportReceiver {
  enum Event: Equatable, Sendable {
    case opened
    case received([UInt8])
    case closed(String?)
  }

  private let continuation: AsyncStream<Event>.Continuation
  private let stream: AsyncStream<Event>

  init() { (stream, continuation) = AsyncStream.makeStream() }

  /// The next thing that is heard; nil if the task is canceled before.
  func next() async -> Event? {
    var iterator = stream.makeAsyncIterator()
    return await iterator.next()
  }

  func transportOpened() { continuation.yield(.opened) }
  func transportReceived(_ packet: consuming [UInt8]) { continuation.yield(.received(packet)) }
  func transportClosed(_ reason: String?) { continuation.yield(.closed(reason)) }
}

/// A controller that answers each packet with the next of its answers, and can be made to speak at any time.
final class ScriptedController: ControllerTransport {
  private struct State {
    var receiver: (any ControllerTransportReceiver)?
    var received: [[UInt8]] = []
    var closings = 0
  }

  private let answer: @Sendable ([UInt8]) -> [UInt8]?
  private let state = Mutex(State())

  init(answer: @escaping @Sendable ([UInt8]) -> [UInt8]? = { _ in nil }) { self.answer = answer }

  var received: [[UInt8]] { state.withLock { $0.received } }
  var closings: Int { state.withLock { $0.closings } }
  var receiver: (any ControllerTransportReceiver)? { state.withLock { $0.receiver } }

  func open(_ receiver: any ControllerTransportReceiver) {
    state.withLock { $0.receiver = receiver }
    receiver.transportOpened()
  }

  func send(_ packet: consuming [UInt8]) {
    let packet = packet
    state.withLock { $0.received.append(packet) }
    if let answer = answer(packet) { receiver?.transportReceived(answer) }
  }

  func close() {
    state.withLock { state in
      state.closings += 1
      state.receiver = nil
    }
  }
}

/// A unique path for a socket.
func temporarySocketPath() -> String {
  "/tmp/latchkey-\(UInt64.random(in: .min ... .max))"
}
