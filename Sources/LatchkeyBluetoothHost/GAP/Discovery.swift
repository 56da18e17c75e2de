/// A device that a scan found: its advertisement and scan response merged.
public struct Discovery: Sendable {
  /// Its address.
  public var address: BluetoothAddress
  /// Signal strength in dBm; 127 if the controller did not report one.
  public var rssi: Int8
  /// Whether it accepts connections.
  public var isConnectable: Bool
  /// The AD structures of its advertisement, then those of its scan response.
  public var data: AdvertisingData
}
