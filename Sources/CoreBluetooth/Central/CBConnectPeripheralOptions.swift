import Foundation

// Options of connections. The strings are those that Apple's systems show in logs.

/// Whether to alert the user to a connection made in the background. Accepted without effect.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"

/// Whether to alert the user to a connection lost in the background. Accepted without effect.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey = "kCBConnectOptionNotifyOnDisconnection"

/// Whether to alert the user to values that come in the background. Accepted without effect.
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"

/// How long to wait before the connection is attempted: an `NSNumber` of seconds.
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"

/// Whether to connect by classic Bluetooth, too. Accepted without effect: this host has Low Energy alone.
public let CBConnectPeripheralOptionEnableTransportBridgingKey = "kCBConnectOptionEnableTransportBridging"

/// Whether the device needs Apple's notification service. Accepted without effect: Linux has none.
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"

/// Whether the connection is requested again each time it is lost, until the app cancels it: an `NSNumber` of a Boolean.
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionAutoReconnect"

/// The options of a connection that have an effect.
struct ConnectOptions {
  /// The longest delay, a year: what is longer is never waited for.
  private static let longestDelay = 365.0 * 24 * 3600

  /// The time before the attempt.
  let startDelay: Duration
  /// Whether the connection is requested again when it is lost.
  let reconnects: Bool

  /// Reads an app's options. A delay that is negative or no number counts as none.
  init(_ options: [String: Any]?) {
    let seconds = (options?[CBConnectPeripheralOptionStartDelayKey] as? NSNumber)?.doubleValue ?? 0
    startDelay = seconds > 0 ? .seconds(min(seconds, Self.longestDelay)) : .zero
    reconnects = (options?[CBConnectPeripheralOptionEnableAutoReconnect] as? NSNumber)?.boolValue ?? false
  }
}
