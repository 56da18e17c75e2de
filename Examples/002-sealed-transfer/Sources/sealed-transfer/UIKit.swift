import Synchronization

/// Of `UIApplication` what the listings use: an indicator, and whom alert views are shown to. There is no UIKit on Linux.
final class UIApplication: Sendable {
  private struct State {
    var isIndicatorVisible = false
    var indicator: @Sendable (Bool) -> Void = { _ in }
    var alerts: @Sendable (UIAlertView) -> Void = { _ in }
  }
  private let state = Mutex(State())

  /// Whether the status bar shows that the network is used.
  var networkActivityIndicatorVisible: Bool {
    get { state.withLock { $0.isIndicatorVisible } }
    set {
      let indicator = state.withLock { state in
        state.isIndicatorVisible = newValue
        return state.indicator
      }
      indicator(newValue)
    }
  }

  /// What is called with each state of the indicator.
  func onActivity(_ show: @escaping @Sendable (Bool) -> Void) { state.withLock { $0.indicator = show } }

  /// What is called with each alert view that is shown.
  func onAlert(_ show: @escaping @Sendable (UIAlertView) -> Void) { state.withLock { $0.alerts = show } }

  fileprivate func show(_ alert: UIAlertView) {
    let alerts = state.withLock { $0.alerts }
    alerts(alert)
  }
}

/// `UIAlertView` with one button, which has no delegate.
struct UIAlertView: Hashable, Sendable {
  var title: String
  var message: String
  var cancelButtonTitle: String

  func show(on application: UIApplication) { application.show(self) }
}
