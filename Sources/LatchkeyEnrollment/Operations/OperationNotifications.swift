public import Foundation

// The names that the classes of Examples/002-sealed-transfer post; the others follow their pattern.

/// A login has started.
public let kNormalLoginStartNotification = Notification.Name("kNormalLoginStartNotification")
/// A login succeeded.
public let kNormalLoginSuccessNotification = Notification.Name("kNormalLoginSuccessNotification")
/// A login failed.
public let kNormalLoginFailedNotification = Notification.Name("kNormalLoginFailedNotification")
/// The accounts are being fetched.
public let kAccountOperationStart = Notification.Name("kAccountOperationStart")
/// The accounts were fetched.
public let kAccountOperationSuccessful = Notification.Name("kAccountOperationSuccessful")
/// The accounts could not be fetched, verified or read.
public let kAccountOperationError = Notification.Name("kAccountOperationError")
/// A transfer has started.
public let kFundsTransferStartNotification = Notification.Name("kFundsTransferStartNotification")
/// A transfer is booked.
public let kFundsTransferSuccessNotification = Notification.Name("kFundsTransferSuccessNotification")
/// A transfer failed.
public let kFundsTransferFailedNotification = Notification.Name("kFundsTransferFailedNotification")

/// Posts operations' events to a notification center, on the main queue, under the names of `Examples/002-sealed-transfer`.
///
/// Failures carry `"error"` (``EnrollmentError``), `"title"` and `"message"` for the user; a canceled operation posts its
/// failure with `"cancelled": true`. Kinds that the old client does not have post nothing.
public struct OperationNotifications: Sendable {
  private let center: NotificationCenter

  /// Creates a bridge to this center.
  public init(center: NotificationCenter = .default) { self.center = center }

  func post<Success>(_ kind: OperationKind, _ event: OperationEvent<Success>) {
    guard let names = Self.names[kind] else { return }
    switch event {
    case .started: post(names.started)
    case .succeeded: post(names.succeeded)
    case .cancelled: post(names.failed, cancelled: true)
    case .failed(let error): post(names.failed, error)
    }
  }

  private func post(_ name: Notification.Name, _ error: EnrollmentError? = nil, cancelled: Bool = false) {
    DispatchQueue.main.async { [center] in
      var information: [AnyHashable: Any] = [:]
      if let error {
        information = ["error": error, "title": error.userTitle, "message": error.userMessage]
      }
      if cancelled { information["cancelled"] = true }
      center.post(name: name, object: nil, userInfo: information.isEmpty ? nil : information)
    }
  }

  private static let names:
    [OperationKind: (started: Notification.Name, succeeded: Notification.Name, failed: Notification.Name)] = [
      .login: (kNormalLoginStartNotification, kNormalLoginSuccessNotification, kNormalLoginFailedNotification),
      .accounts: (kAccountOperationStart, kAccountOperationSuccessful, kAccountOperationError),
      .transfer: (
        kFundsTransferStartNotification, kFundsTransferSuccessNotification, kFundsTransferFailedNotification
      ),
    ]
}
