import Foundation
import StrapApp
import Testing

/// The bytes of 2A37 (Heart Rate Service 1.0, 3.1).
struct MeasurementTests {
  @Test(
    "Each form of a measurement is parsed",
    arguments: [
      ([0x00, 0x48], 72, .unknown, nil, []),
      ([0x01, 0x2C, 0x01], 300, .unknown, nil, []),
      ([0x06, 0x48], 72, .good, nil, []),
      ([0x04, 0x48], 72, .lost, nil, []),
      ([0x02, 0x48], 72, .unknown, nil, []),
      ([0x0E, 0x48, 0x10, 0x27], 72, .good, 10_000, []),
      ([0x10, 0x48, 0x00, 0x04, 0x00, 0x02], 72, .unknown, nil, [1, 0.5]),
      ([0x1F, 0x48, 0x00, 0x01, 0x00, 0x00, 0x04], 72, .good, 1, [1]),
    ] as [([UInt8], Int, HeartRateMeasurement.Contact, Int?, [TimeInterval])])
  func forms(
    _ form: (bytes: [UInt8], rate: Int, contact: HeartRateMeasurement.Contact, energy: Int?, intervals: [TimeInterval])
  ) throws {
    let measurement = try #require(HeartRateMeasurement(Data(form.bytes)))
    #expect(measurement.beatsPerMinute == form.rate)
    #expect(measurement.contact == form.contact)
    #expect(measurement.energy == form.energy)
    #expect(measurement.intervals == form.intervals)
  }

  @Test(
    "A value that ends before its fields is none",
    arguments: [[], [0x00], [0x01, 0x48], [0x08, 0x48], [0x08, 0x48, 0x01], [0x09, 0x48, 0x00, 0x01]] as [[UInt8]])
  func short(_ bytes: [UInt8]) {
    #expect(HeartRateMeasurement(Data(bytes)) == nil)
  }
}
