import ArgumentParser
import LatchkeyEnrollmentServer
import Logging

/// How the server logs, on standard error.
struct LogOptions: ParsableArguments {
  enum Format: String, CaseIterable, ExpressibleByArgument { case text, json }

  @Option(help: "Log lines: text or json.") var logFormat = Format.text
  @Option(help: "The least level: trace, debug, info (requests too), notice, warning, error, critical.")
  var logLevel = "notice"

  func validate() throws {
    guard Logger.Level(rawValue: logLevel) != nil else { throw ValidationError("there is no level \(logLevel)") }
  }

  func logger(label: String) -> Logger {
    var logger = Logger(
      label: label,
      factory: { label in
        switch logFormat {
        case .text: StreamLogHandler.standardError(label: label)
        case .json: JSONLogHandler(label: label)
        }
      })
    logger.logLevel = Logger.Level(rawValue: logLevel) ?? .notice
    return logger
  }
}
