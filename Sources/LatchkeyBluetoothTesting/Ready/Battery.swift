import CoreBluetooth
import Foundation

extension DeviceDefinition {
  /// A battery, after the Battery Service 1.0: its level, which is read and notified.
  ///
  /// - Parameter level: percent, 0...100.
  public static func battery(level: UInt8 = 100) -> DeviceDefinition {
    DeviceDefinition(
      name: "Battery",
      services: [
        Service("180F", characteristics: [Characteristic("2A19", [.read, .notify], value: Data([min(level, 100)]))])
      ])
  }
}
