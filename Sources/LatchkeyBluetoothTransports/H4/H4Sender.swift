import NIOCore
import Synchronization

/// The outgoing half of an H4 stream: accepts packets on any thread, writes those of one moment together, and counts
/// the bytes that the other end has not read yet.
final class H4Sender: Sendable {
  /// How many bytes may wait for an end that does not read. A controller's events have no flow control, so a host that
  /// scans without reading would otherwise fill the memory.
  static let maximumOutstanding = 1 << 20

  private struct State {
    var waiting: [[UInt8]] = []
    /// Bytes that were accepted and have not reached the kernel.
    var outstanding = 0
    var isWriteScheduled = false
    var isClosed = false
  }

  private enum Verdict {
    case wait
    case write
    case cutOff
    case drop
  }

  private let channel: any Channel
  private let state = Mutex(State())

  init(channel: any Channel) { self.channel = channel }

  /// Queues a packet after all earlier ones.
  ///
  /// - Returns: false if the limit is exceeded: the other end does not read, and the stream is being closed.
  @discardableResult
  func send(_ packet: [UInt8]) -> Bool {
    let verdict = state.withLock { state -> Verdict in
      guard !state.isClosed else { return .drop }
      guard state.outstanding + packet.count <= Self.maximumOutstanding else {
        state.isClosed = true
        state.waiting = []
        return .cutOff
      }
      state.outstanding += packet.count
      state.waiting.append(packet)
      defer { state.isWriteScheduled = true }
      return state.isWriteScheduled ? .wait : .write
    }
    switch verdict {
    case .wait, .drop: break
    case .write: channel.eventLoop.execute { self.writeWaiting() }
    case .cutOff:
      channel.close(promise: nil)
      return false
    }
    return true
  }

  /// Closes the stream, once its event loop has finished what it does now; unwritten packets are dropped.
  func close() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if isFirst { channel.eventLoop.execute { self.channel.close(promise: nil) } }
  }

  /// Returns when the stream is closed, by whichever end.
  func waitUntilClosed() async { try? await channel.closeFuture.get() }

  private func writeWaiting() {
    let packets = state.withLock { state in
      state.isWriteScheduled = false
      defer { state.waiting = [] }
      return state.waiting
    }
    let count = packets.reduce(0) { $0 + $1.count }
    guard count > 0 else { return }
    var buffer = channel.allocator.buffer(capacity: count)
    for packet in packets { buffer.writeBytes(packet) }
    // Closing fails the pending writes, so every write completes, and a closed stream needs no count.
    channel.writeAndFlush(buffer).whenSuccess { self.state.withLock { $0.outstanding -= count } }
  }
}
