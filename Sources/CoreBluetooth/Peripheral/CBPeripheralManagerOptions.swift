// Options of peripheral managers. The string is the one that Apple's systems show in logs.

/// Whether to alert the user if Bluetooth is off at the start. Accepted without effect: Linux has no such alert.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
