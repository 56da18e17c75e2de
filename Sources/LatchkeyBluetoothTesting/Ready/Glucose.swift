import CoreBluetooth
public import Foundation

extension DeviceDefinition {
  /// A glucose meter, after the Glucose Service 1.0.1: its records are asked for at the record access control point.
  ///
  /// - Parameter concentrations: of the records, oldest first, mg/dL; their sequence numbers begin with 1.
  public static func glucose(_ concentrations: [UInt16]) -> DeviceDefinition {
    let records = concentrations.enumerated().map { index, concentration in
      glucoseMeasurement(sequence: UInt16(clamping: index + 1), concentration: concentration)
    }
    return DeviceDefinition(
      name: "Glucose",
      services: [
        Service(
          "1808",
          characteristics: [
            Characteristic("2A18", .notify),
            Characteristic("2A51", .read, value: Data([0x00, 0x00])),
            Characteristic(
              "2A52", [.write, .indicate],
              behavior: .recordAccess(measurement: CBUUID(string: "2A18"), records: records)),
          ])
      ])
  }

  /// A Glucose Measurement with a concentration (Glucose Service 1.0.1, 3.1): of capillary whole blood, from a finger. It was
  /// made on January 1 2026, one minute after the other.
  ///
  /// - Parameter concentration: mg/dL, as an SFLOAT with exponent -5 (kg/L): up to 2047.
  public static func glucoseMeasurement(sequence: UInt16, concentration: UInt16) -> Data {
    var bytes = LittleEndianBytes()
    // Bit 1: concentration, type and location; bit 2 clear: kg/L.
    bytes.append(UInt8(0b0000_0010))
    bytes.append(sequence)
    bytes.append(UInt16(2026))
    for number in [1, 1, UInt8(sequence / 60 % 24), UInt8(sequence % 60), 0] as [UInt8] { bytes.append(number) }
    // 1 mg/dL is 1e-5 kg/L; exponent -5 is 0xB in four bits.
    bytes.append(0xB000 | min(concentration, 0x07FD))
    // Type 1 in the low half, location 1 in the high one.
    bytes.append(UInt8(0x11))
    return bytes.data
  }
}
