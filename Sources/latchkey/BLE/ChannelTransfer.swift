import CoreBluetooth
import Foundation
import LatchkeyCommandLine
import Synchronization

/// Moves standard input to a channel, and a channel to a file, on threads of their own.
final class ChannelTransfer: Sendable {
  private static let chunk = 16384

  private let opened: ChannelSession.Opened
  private let path: String
  private let descriptor: Int32
  private let sent = Atomic<Int>(0)

  init(_ opened: ChannelSession.Opened, to path: String) throws(CommandFailure) {
    self.opened = opened
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw CommandFailure(.inputOutput, "\(path) cannot be written") }
    opened.channel.inputStream.open()
    opened.channel.outputStream.open()
  }

  deinit { Glibc.close(descriptor) }

  /// The numbers of bytes that were sent and received, once the other end has closed the channel.
  func run() async throws -> (sent: Int, received: Int) {
    // It may wait for input when everything else has ended; the program's end ends it.
    Thread.detachNewThread { [self] in send() }
    let received = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { [self] in continuation.resume(with: Result { try receive() }) }
      }
    } onCancel: {
      opened.channel.inputStream.close()
      opened.channel.outputStream.close()
    }
    try Task.checkCancellation()
    return (sent.load(ordering: .acquiring), received)
  }

  private func send() {
    var buffer = [UInt8](repeating: 0, count: Self.chunk)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      var start = 0
      while start < count {
        let written = buffer[start..<count].withUnsafeBufferPointer { rest -> Int in
          guard let first = rest.baseAddress else { return -1 }
          return opened.channel.outputStream.write(first, maxLength: rest.count)
        }
        guard written > 0 else { return }
        start += written
        sent.add(written, ordering: .releasing)
      }
    }
  }

  private func receive() throws -> Int {
    var buffer = [UInt8](repeating: 0, count: Self.chunk)
    var total = 0
    while true {
      let count = opened.channel.inputStream.read(&buffer, maxLength: buffer.count)
      guard count > 0 else {
        guard opened.channel.inputStream.streamStatus != .error else {
          throw CommandFailure(.unavailable, code: "channelLost", "the connection was lost after \(total) bytes")
        }
        return total
      }
      total += count
      var start = 0
      while start < count {
        let written = buffer[start..<count].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { throw CommandFailure(.inputOutput, "\(path) cannot be written") }
        start += written
      }
    }
  }
}
