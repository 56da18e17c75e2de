import Logging
import Synchronization

/// What swift-log was given, by label: each test has a subsystem of its own.
enum RecordedLog {
  struct Message: Equatable, Sendable {
    let level: Logging.Logger.Level
    let text: String
    let category: String?
    let source: String
  }

  private static let messages = Mutex<[String: [Message]]>([:])
  private static let levels = Mutex<[String: Logging.Logger.Level]>([:])
  private static let bootstrapped: Void = LoggingSystem.bootstrap { Handler(label: $0) }

  /// Takes messages of this label from now on, of this level at least.
  static func start(_ label: String, from level: Logging.Logger.Level = .trace) {
    bootstrapped
    levels.withLock { $0[label] = level }
  }

  static func of(_ label: String) -> [Message] { messages.withLock { $0[label] ?? [] } }
  static func texts(_ label: String) -> [String] { of(label).map(\.text) }

  private struct Handler: LogHandler {
    let label: String
    var metadata: Logging.Logger.Metadata = [:]
    var logLevel: Logging.Logger.Level {
      get { levels.withLock { $0[label] ?? .info } }
      set { levels.withLock { $0[label] = newValue } }
    }

    init(label: String) { self.label = label }

    subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let message = Message(
        level: event.level, text: event.message.description, category: metadata["category"]?.description,
        source: event.source)
      messages.withLock { $0[label, default: []].append(message) }
    }
  }
}
