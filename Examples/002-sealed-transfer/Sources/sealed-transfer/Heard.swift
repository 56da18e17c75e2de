import Foundation
import LatchkeyEnrollment
import Synchronization

/// The notifications of a center, in their order.
final class Heard: @unchecked Sendable {
  private let names = Mutex<[String]>([])
  private var observers: [any NSObjectProtocol] = []
  private let center: NotificationCenter

  /// - Parameter report: called with each one's name.
  init(_ center: NotificationCenter, report: @escaping @Sendable (String) -> Void = { _ in }) {
    self.center = center
    for name in [
      kNormalLoginSuccessNotification, kNormalLoginFailedNotification, kAccountOperationSuccessful,
      kAccountOperationError, kFundsTransferStartNotification, kFundsTransferSuccessNotification,
      kFundsTransferFailedNotification,
    ] {
      observers.append(
        center.addObserver(forName: name, object: nil, queue: nil) { [weak self] notification in
          self?.names.withLock { $0.append(notification.name.rawValue) }
          report(notification.name.rawValue)
        })
    }
  }

  deinit { for observer in observers { center.removeObserver(observer) } }

  var all: [String] { names.withLock { $0 } }
}
