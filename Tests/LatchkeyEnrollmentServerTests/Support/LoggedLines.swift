import Logging
import Synchronization

/// The logged lines.
final class LoggedLines: Sendable {
  struct Line: Sendable {
    let level: Logger.Level
    let text: String
    /// The logger's own labels.
    let labels: Logger.Metadata
  }

  private let lines = Mutex<[Line]>([])
  var all: [Line] { lines.withLock { $0 } }
  var handler: any LogHandler { Handler(lines: self) }

  private struct Handler: LogHandler {
    let lines: LoggedLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let text = "\(event.message) \(event.metadata ?? [:])"
      lines.lines.withLock { $0.append(Line(level: event.level, text: text, labels: metadata)) }
    }
  }
}
