internal import Foundation
public import Logging

/// Writes log lines as JSON, one object per line: `time` (RFC 3339, UTC), `level`, `message`, then the metadata.
public struct JSONLogHandler: LogHandler {
  /// The metadata of every line.
  public var metadata: Logger.Metadata = [:]
  /// The minimum level that is written.
  public var logLevel: Logger.Level = .info

  private let label: String
  private let write: @Sendable (String) -> Void

  /// - Parameters:
  ///   - label: the logger's name.
  ///   - write: receives each line, including its line break; by default standard error.
  public init(label: String, write: (@Sendable (String) -> Void)? = nil) {
    self.label = label
    self.write = write ?? { line in try? FileHandle.standardError.write(contentsOf: Data(line.utf8)) }
  }

  /// The metadata of every line, by name.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes a line.
  public func log(event: LogEvent) {
    var members: [(String, JSONLiteral)] = [
      ("time", .string(Self.time())), ("level", .string(event.level.rawValue)), ("logger", .string(label)),
      ("message", .string(event.message.description)),
    ]
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) { members.append((key, .string(value.description))) }
    write(JSONLiteral.members(members).text + "\n")
  }

  private static func time() -> String {
    Date().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
  }
}
