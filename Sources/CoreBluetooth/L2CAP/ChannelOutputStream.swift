import Foundation

/// The bytes that are sent to a channel's peer. What one write accepts is one SDU, or several if it is longer than the
/// peer's MTU.
final class ChannelOutputStream: OutputStream, ScheduledStream {
  private let connection: ChannelConnection?

  init(_ connection: ChannelConnection) {
    self.connection = connection
    super.init(toMemory: ())
    connection.outputSchedule.attach(self)
  }

  /// A stream to nowhere, which the superclass requires.
  required init(toMemory: ()) {
    connection = nil
    super.init(toMemory: ())
  }

  override func open() { connection?.openOutput() }

  override func close() { connection?.closeOutput() }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    connection?.write(UnsafeRawBufferPointer(start: buffer, count: max(len, 0))) ?? -1
  }

  override var hasSpaceAvailable: Bool { connection?.hasRoom ?? false }

  override var streamStatus: Stream.Status { connection?.outputStatus ?? .notOpen }

  override var streamError: (any Error)? { streamStatus == .error ? connection?.error : nil }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    connection?.outputSchedule.add(aRunLoop, mode)
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    connection?.outputSchedule.remove(aRunLoop, mode)
  }

  func isCurrent(_ event: Stream.Event) -> Bool { event != .hasSpaceAvailable || streamStatus == .open }
}
