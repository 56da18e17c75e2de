import Foundation

/// The bytes that a channel's peer sends.
final class ChannelInputStream: InputStream, ScheduledStream {
  private let connection: ChannelConnection

  init(_ connection: ChannelConnection) {
    self.connection = connection
    super.init(data: Data())
    connection.inputSchedule.attach(self)
  }

  override func open() { connection.openInput() }

  override func close() { connection.closeInput() }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    connection.read(UnsafeMutableRawBufferPointer(start: buffer, count: max(len, 0)))
  }

  /// There is no buffer of all that is available.
  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override var hasBytesAvailable: Bool { connection.hasBytes }

  override var streamStatus: Stream.Status { connection.inputStatus }

  override var streamError: (any Error)? { streamStatus == .error ? connection.error : nil }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    connection.inputSchedule.add(aRunLoop, mode)
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    connection.inputSchedule.remove(aRunLoop, mode)
  }

  func isCurrent(_ event: Stream.Event) -> Bool { event != .hasBytesAvailable || hasBytesAvailable }
}
