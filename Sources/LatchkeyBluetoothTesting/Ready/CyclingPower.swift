import CoreBluetooth
import Foundation

extension DeviceDefinition {
  /// A power meter of a bicycle, after the Cycling Power Service 1.1: its mandatory characteristics.
  ///
  /// - Parameters:
  ///   - watts: the instantaneous power.
  ///   - interval: between two measurements.
  public static func cyclingPower(watts: Int16, every interval: Duration = .seconds(1)) -> DeviceDefinition {
    var bytes = LittleEndianBytes()
    // No optional fields (3.2.1.1).
    bytes.append(UInt16(0x0000))
    bytes.append(watts)
    return DeviceDefinition(
      name: "Cycling Power",
      services: [
        Service(
          "1818",
          characteristics: [
            Characteristic("2A63", .notify, value: bytes.data, behavior: .notifyEvery(interval, [bytes.data])),
            Characteristic("2A65", .read, value: Data([0x00, 0x00, 0x00, 0x00])),
            // The left crank (Assigned Numbers, Sensor Location).
            Characteristic("2A5D", .read, value: Data([0x05])),
          ])
      ])
  }
}
