import LatchkeyProcessEnvironment
import Logging

/// The level of the program's log on standard error.
enum ProgramLog {
  /// The environment variable that sets it.
  static let variable = "LATCHKEY_LOG_LEVEL"

  /// `LATCHKEY_LOG_LEVEL` (trace, debug, info, notice, warning, error or critical), else notice.
  static let level = Environment[variable].flatMap { Logger.Level(rawValue: $0) } ?? .notice
}
