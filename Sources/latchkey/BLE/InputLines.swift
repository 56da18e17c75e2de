import Foundation

/// The lines of standard input, from a thread of their own: reading them blocks.
enum InputLines {
  /// The longest line that is taken, in characters.
  private static let limit = 64 * 1024

  static func stream() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      while let line = readLine(strippingNewline: true), line.utf8.count <= limit {
        if case .terminated = continuation.yield(line) { return }
      }
      continuation.finish()
    }
    return lines
  }
}
