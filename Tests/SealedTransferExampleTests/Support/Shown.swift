import Synchronization

@testable import sealed_transfer

/// An app's output: its alert views, and the states of its indicator.
final class Shown: Sendable {
  private let state = Mutex<(alerts: [UIAlertView], activity: [Bool])>(([], []))

  init(_ app: App) {
    app.sharedApplication.onAlert { [weak self] alert in self?.state.withLock { $0.alerts.append(alert) } }
    app.sharedApplication.onActivity { [weak self] isVisible in self?.state.withLock { $0.activity.append(isVisible) } }
  }

  var alerts: [UIAlertView] { state.withLock { $0.alerts } }
  var activity: [Bool] { state.withLock { $0.activity } }
}
