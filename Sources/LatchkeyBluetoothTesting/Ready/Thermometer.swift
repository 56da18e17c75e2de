import CoreBluetooth
public import Foundation

extension DeviceDefinition {
  /// A thermometer, after the Health Thermometer Service 1.0: measurements are indicated, intermediate ones notified.
  ///
  /// - Parameters:
  ///   - celsius: the temperature, to a hundredth.
  ///   - interval: between two measurements.
  public static func thermometer(celsius: Double, every interval: Duration = .seconds(1)) -> DeviceDefinition {
    let measurement = temperatureMeasurement(celsius: celsius)
    var seconds = LittleEndianBytes()
    seconds.append(UInt16(clamping: interval.components.seconds))
    return DeviceDefinition(
      name: "Thermometer",
      services: [
        Service(
          "1809",
          characteristics: [
            Characteristic("2A1C", .indicate, value: measurement, behavior: .notifyEvery(interval, [measurement])),
            // The mouth (Assigned Numbers, Temperature Type).
            Characteristic("2A1D", .read, value: Data([0x06])),
            Characteristic("2A1E", .notify, value: measurement),
            Characteristic("2A21", .read, value: seconds.data),
          ])
      ])
  }

  /// A Temperature Measurement in degrees Celsius without a time (Health Thermometer Service 1.0, 3.1).
  ///
  /// - Parameter celsius: to a hundredth; what 24 bits do not hold is "not a number" (IEEE 11073-20601 F.8).
  public static func temperatureMeasurement(celsius: Double) -> Data {
    let hundredths = (celsius * 100).rounded()
    let (mantissa, exponent): (Int32, Int8) =
      abs(hundredths) <= 8_388_604 ? (Int32(hundredths), -2) : (0x7F_FFFF, 0)
    var bytes = LittleEndianBytes()
    bytes.append(UInt8(0x00))
    bytes.append(UInt32(bitPattern: mantissa) & 0xFF_FFFF | UInt32(UInt8(bitPattern: exponent)) << 24)
    return bytes.data
  }
}
