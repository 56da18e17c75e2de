/// The controller of a manager: a string such as `virtual:lab`, `tcp-client:127.0.0.1:9000` or
/// `unix-client:/tmp/radio`.
///
/// An option of this implementation, for both kinds of managers. Without it the environment's `LATCHKEY_HCI` is used,
/// and without that a virtual radio inside the process. On a virtual radio central managers share one controller and
/// peripheral managers another; on any other controller all managers share the one.
public let CBManagerOptionControllerKey = "LatchkeyController"

// Options of central managers, scans and connections. The strings are those that Apple's systems show in logs.

/// Whether to alert the user if Bluetooth is off at the start. Accepted without effect: Linux has no such alert.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"

/// Whether a scan reports every advertisement, or each device once: an `NSNumber` of a Boolean.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"

/// Whether to alert the user to a connection made in the background. Accepted without effect.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"

/// Whether to alert the user to a connection lost in the background. Accepted without effect.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey = "kCBConnectOptionNotifyOnDisconnection"

/// Whether to alert the user to values that come in the background. Accepted without effect.
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"

// Options of peripheral managers. The string is the one that Apple's systems show in logs.

/// Whether to alert the user if Bluetooth is off at the start. Accepted without effect: Linux has no such alert.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
