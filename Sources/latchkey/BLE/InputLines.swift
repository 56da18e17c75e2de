import Foundation
import Glibc
import LatchkeyCommandLine

/// The lines of standard input, from a thread of their own: reading them blocks.
enum InputLines {
  /// The most bytes that a line may have.
  static let limit = 64 * 1024

  enum Line: Equatable, Sendable {
    case text(String)
    /// Longer than the limit; its contents are dropped.
    case tooLong
    case notUTF8
    /// Standard input cannot be read on: the last one.
    case unreadable(String)
  }

  /// How many lines are read before they are asked for.
  private static let mostAhead = 16

  /// The lines, for one reader. What comes faster than it is asked for waits where it comes from.
  static func stream(from descriptor: CInt = STDIN_FILENO) -> AsyncMapSequence<AsyncStream<Line>, Line> {
    let (lines, continuation) = AsyncStream<Line>.makeStream()
    let room = DispatchSemaphore(value: mostAhead)
    Thread.detachNewThread {
      var reader = Reader(descriptor: descriptor)
      while let line = reader.next() {
        room.wait()
        if case .terminated = continuation.yield(line) { return }
        if case .unreadable = line { break }
      }
      continuation.finish()
    }
    return lines.map { line in
      room.signal()
      return line
    }
  }

  private struct Reader {
    let descriptor: CInt
    private var chunk: [UInt8] = []
    private var place = 0
    private var isAtEnd = false

    init(descriptor: CInt) { self.descriptor = descriptor }

    /// The next line, without the newline or CR LF that ends it; nil after the last one.
    mutating func next() -> Line? {
      var line: [UInt8] = []
      var isTooLong = false
      var isEmpty = true
      while true {
        if place == chunk.count {
          if isAtEnd { return isEmpty ? nil : Self.line(line, isTooLong) }
          if let failure = fill() { return .unreadable(failure) }
          continue
        }
        isEmpty = false
        let rest = chunk[place...]
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        let part = rest[..<(end ?? rest.endIndex)]
        place = end.map { $0 + 1 } ?? chunk.count
        // One more than the limit: the CR of a CR LF does not count.
        if line.count + part.count <= InputLines.limit + 1 {
          if !isTooLong { line += part }
        } else {
          isTooLong = true
          line = []
        }
        if end != nil { return Self.line(line, isTooLong) }
      }
    }

    /// Reads on; what failed, if something did.
    private mutating func fill() -> String? {
      chunk = [UInt8](repeating: 0, count: 65_536)
      place = 0
      while true {
        let count = read(descriptor, &chunk, chunk.count)
        if count >= 0 {
          chunk.removeSubrange(count...)
          isAtEnd = count == 0
          return nil
        }
        switch errno {
        case EINTR: continue
        case EAGAIN:
          // Another process made it non-blocking.
          var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          poll(&waited, 1, -1)
        case let code:
          chunk = []
          isAtEnd = true
          return String(cString: strerror(code))
        }
      }
    }

    private static func line(_ bytes: [UInt8], _ isTooLong: Bool) -> Line {
      var bytes = bytes
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
      guard !isTooLong, bytes.count <= InputLines.limit else { return .tooLong }
      return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .notUTF8
    }
  }
}
