import Logging

/// Logs an app's misuse with the texts of Apple's systems, so that a search finds the known answers.
enum Diagnostics {
  private static let logger = Logger(label: "CoreBluetooth")

  static func misuse(_ text: @autoclosure () -> String) {
    logger.warning("API MISUSE: \(text())")
  }

  /// Logs a notice about a problem that is not the app's fault.
  static func notice(_ text: @autoclosure () -> String) {
    logger.notice("\(text())")
  }
}
