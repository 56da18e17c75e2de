import Logging
import Synchronization

/// The logged lines: all of them so far, and each as it comes for the one that waits for it.
final class LoggedLines: Sendable {
  struct Line: Sendable {
    let level: Logger.Level
    let message: String
    let metadata: Logger.Metadata
    /// The logger's own labels.
    let labels: Logger.Metadata
    var text: String { "\(message) \(metadata)" }
  }

  private let lines = Mutex<[Line]>([])
  /// For one reader.
  let stream: AsyncStream<Line>
  private let sent: AsyncStream<Line>.Continuation
  var all: [Line] { lines.withLock { $0 } }
  var handler: any LogHandler { Handler(lines: self) }

  init() { (stream, sent) = AsyncStream.makeStream() }

  private struct Handler: LogHandler {
    let lines: LoggedLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let line = Line(
        level: event.level, message: event.message.description, metadata: event.metadata ?? [:], labels: metadata)
      lines.lines.withLock { $0.append(line) }
      lines.sent.yield(line)
    }
  }
}
