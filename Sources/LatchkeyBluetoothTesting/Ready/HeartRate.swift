import CoreBluetooth
public import Foundation

extension DeviceDefinition {
  /// A heart rate strap, after the Heart Rate Service 1.0: a measurement each second, the place on the body, and the control
  /// point that resets the energy expended.
  ///
  /// - Parameters:
  ///   - bpm: beats per minute; more than 255 take two bytes.
  ///   - interval: between two measurements.
  public static func heartRate(bpm: UInt16, every interval: Duration = .seconds(1)) -> DeviceDefinition {
    DeviceDefinition(
      name: "Heart Rate",
      services: [
        Service(
          "180D",
          characteristics: [
            Characteristic(
              "2A37", .notify, value: heartRateMeasurement(bpm: bpm),
              behavior: .notifyEvery(interval, [heartRateMeasurement(bpm: bpm)])),
            // The chest (3.2).
            Characteristic("2A38", .read, value: Data([0x01])),
            // 3.3: 1 resets; any other value is not supported, an error of the service.
            Characteristic(
              "2A39", .write, behavior: .program([Rule(write: Data([0x01]))], otherwise: ._0x80)),
          ])
      ])
  }

  /// A Heart Rate Measurement (Heart Rate Service 1.0, 3.1): the sensor has contact.
  ///
  /// - Parameters:
  ///   - bpm: beats per minute.
  ///   - energy: kilojoules; nil for no such field.
  ///   - intervals: between beats, in units of 1/1024 s.
  public static func heartRateMeasurement(bpm: UInt16, energy: UInt16? = nil, intervals: [UInt16] = []) -> Data {
    // Bits 1 and 2: contact is detected, and that is supported.
    var flags: UInt8 = 0b0000_0110
    if bpm > 255 { flags |= 0b0000_0001 }
    if energy != nil { flags |= 0b0000_1000 }
    if !intervals.isEmpty { flags |= 0b0001_0000 }
    var bytes = LittleEndianBytes()
    bytes.append(flags)
    if bpm > 255 { bytes.append(bpm) } else { bytes.append(UInt8(bpm)) }
    if let energy { bytes.append(energy) }
    for interval in intervals { bytes.append(interval) }
    return bytes.data
  }
}

/// Numbers in Bluetooth's order, the least significant byte first.
struct LittleEndianBytes {
  private(set) var data = Data()

  mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
  }
}
