import Logging

/// Says what an app did wrong, in the words that Apple's systems log, and so that a search finds the answers to them.
enum Diagnostics {
  private static let logger = Logger(label: "CoreBluetooth")

  static func misuse(_ text: @autoclosure () -> String) {
    logger.warning("API MISUSE: \(text())")
  }

  /// Something to know that is nobody's fault.
  static func notice(_ text: @autoclosure () -> String) {
    logger.notice("\(text())")
  }
}
