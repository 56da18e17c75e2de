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
