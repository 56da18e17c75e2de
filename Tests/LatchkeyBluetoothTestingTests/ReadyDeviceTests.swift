import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// The devices that are ready, after the bytes of their specifications.
@Suite(.timeLimit(.minutes(5)))
struct ReadyDeviceTests {
  @Test("Heart rate measurements have the fields that their flags say")
  func heartRateMeasurements() {
    #expect(DeviceDefinition.heartRateMeasurement(bpm: 72) == Data([0x06, 72]))
    #expect(DeviceDefinition.heartRateMeasurement(bpm: 255) == Data([0x06, 255]))
    #expect(DeviceDefinition.heartRateMeasurement(bpm: 256) == Data([0x07, 0x00, 0x01]))
    #expect(
      DeviceDefinition.heartRateMeasurement(bpm: 60, energy: 0x0102, intervals: [1024, 1000])
        == Data([0x1E, 60, 0x02, 0x01, 0x00, 0x04, 0xE8, 0x03]))
  }

  @Test("A heart rate strap is on the chest, resets its energy, and knows no other command")
  func heartRate() throws {
    let started = try Started(.heartRate(bpm: 72))
    #expect(started.app.log.contains("found Heart Rate -50"))
    #expect(started.read("2A38") == Data([0x01]))
    #expect(started.write([0x01], to: "2A39") == "written 2A39 0")
    #expect(started.write([0x02], to: "2A39") == "written 2A39 128")
    #expect(started.device.writes(to: "2A39") == [Data([0x01])])
    #expect(started.app.characteristic("2A37")?.properties == .notify)
  }

  @Test("A battery is read and notified, and never above 100 percent")
  func battery() throws {
    let started = try Started(.battery(level: 101))
    #expect(started.read("2A19") == Data([100]))
    started.subscribe("2A19")
    #expect(started.device.notify(Data([50]), for: "2A19"))
    started.radio.settle()
    #expect(started.app.values(of: "2A19").last == Data([50]))
  }

  @Test("Device information has its strings, and a PnP ID of seven bytes")
  func deviceInformation() throws {
    let started = try Started(.deviceInformation(manufacturer: "Acme", pnp: (0x0059, 0x0102, 0x0304)))
    #expect(started.read("2A29") == Data("Acme".utf8))
    #expect(started.read("2A50") == Data([0x01, 0x59, 0x00, 0x02, 0x01, 0x04, 0x03]))
  }

  @Test("What is written to the Nordic UART comes back, with and without response")
  func nordicUART() throws {
    let started = try Started(.nordicUART())
    let (receive, transmit) = ("6E400002-B5A3-F393-E0A9-E50E24DCCA9E", "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
    started.write([0x01], to: receive)
    #expect(started.app.values(of: transmit).isEmpty)
    started.subscribe(transmit)
    started.write([0x02, 0x03], to: receive)
    started.app.write([0x04], to: receive, type: .withoutResponse)
    started.radio.settle()
    #expect(started.app.values(of: transmit) == [Data([0x02, 0x03]), Data([0x04])])
    #expect(started.device.writes(to: receive).count == 3)
  }

  @Test("Temperatures are hundredths in an IEEE 11073 FLOAT")
  func temperatures() {
    #expect(DeviceDefinition.temperatureMeasurement(celsius: 36.65) == Data([0x00, 0x51, 0x0E, 0x00, 0xFE]))
    #expect(DeviceDefinition.temperatureMeasurement(celsius: -1) == Data([0x00, 0x9C, 0xFF, 0xFF, 0xFE]))
    #expect(DeviceDefinition.temperatureMeasurement(celsius: .nan) == Data([0x00, 0xFF, 0xFF, 0x7F, 0x00]))
    #expect(DeviceDefinition.temperatureMeasurement(celsius: 1e9) == Data([0x00, 0xFF, 0xFF, 0x7F, 0x00]))
  }

  @Test("A thermometer indicates at its interval")
  func thermometer() throws {
    let started = try Started(.thermometer(celsius: 36.65, every: .seconds(60)))
    #expect(started.read("2A21") == Data([60, 0]))
    started.subscribe("2A1C")
    started.radio.advance(by: .seconds(180))
    #expect(started.app.values(of: "2A1C") == Array(repeating: Data([0x00, 0x51, 0x0E, 0x00, 0xFE]), count: 3))
  }

  @Test("A power meter notifies its watts, negative ones too")
  func cyclingPower() throws {
    let started = try Started(.cyclingPower(watts: -2))
    started.subscribe("2A63")
    started.radio.advance(by: .seconds(1))
    #expect(started.app.values(of: "2A63") == [Data([0x00, 0x00, 0xFE, 0xFF])])
    #expect(started.read("2A65") == Data([0, 0, 0, 0]))
  }

  @Test("A glucose measurement has its sequence number, time, concentration, type and location")
  func glucoseMeasurements() {
    #expect(
      DeviceDefinition.glucoseMeasurement(sequence: 61, concentration: 100)
        == Data([0x02, 61, 0, 0xEA, 0x07, 1, 1, 1, 1, 0, 0x64, 0xB0, 0x11]))
  }

  @Test("The record access control point refuses until it is subscribed to")
  func recordsWithoutSubscription() throws {
    let started = try Started(.glucose([90]))
    #expect(started.write([0x01, 0x01], to: "2A52") == "written 2A52 129")
  }

  /// Commands on the records 1 to 5, the sequence numbers of what comes, and the indication at the end.
  @Test(
    "The record access control point answers each command",
    arguments: [
      ([0x01, 0x01], [1, 2, 3, 4, 5], [0x06, 0x00, 0x01, 0x01]),
      ([0x01, 0x05], [1], [0x06, 0x00, 0x01, 0x01]),
      ([0x01, 0x06], [5], [0x06, 0x00, 0x01, 0x01]),
      ([0x01, 0x03, 0x01, 4, 0], [4, 5], [0x06, 0x00, 0x01, 0x01]),
      ([0x01, 0x02, 0x01, 2, 0], [1, 2], [0x06, 0x00, 0x01, 0x01]),
      ([0x01, 0x04, 0x01, 2, 0, 3, 0], [2, 3], [0x06, 0x00, 0x01, 0x01]),
      ([0x01, 0x03, 0x01, 6, 0], [], [0x06, 0x00, 0x01, 0x06]),
      ([0x04, 0x01], [], [0x05, 0x00, 5, 0]),
      ([0x04, 0x03, 0x01, 4, 0], [], [0x05, 0x00, 2, 0]),
      ([0x04, 0x03, 0x01, 9, 0], [], [0x05, 0x00, 0, 0]),
      ([0x02, 0x05], [], [0x06, 0x00, 0x02, 0x01]),
      ([0x03, 0x00], [], [0x06, 0x00, 0x03, 0x01]),
      // Refused: each part of a command that can be wrong.
      ([], [], [0x06, 0x00, 0x00, 0x02]),
      ([0x07, 0x01], [], [0x06, 0x00, 0x07, 0x02]),
      ([0x01], [], [0x06, 0x00, 0x01, 0x03]),
      ([0x01, 0x00], [], [0x06, 0x00, 0x01, 0x03]),
      ([0x03, 0x01], [], [0x06, 0x00, 0x03, 0x03]),
      ([0x01, 0x07], [], [0x06, 0x00, 0x01, 0x04]),
      ([0x01, 0x01, 0x00], [], [0x06, 0x00, 0x01, 0x05]),
      ([0x01, 0x03], [], [0x06, 0x00, 0x01, 0x05]),
      ([0x01, 0x03, 0x01], [], [0x06, 0x00, 0x01, 0x05]),
      ([0x01, 0x03, 0x01, 1], [], [0x06, 0x00, 0x01, 0x05]),
      ([0x01, 0x03, 0x01, 1, 0, 0], [], [0x06, 0x00, 0x01, 0x05]),
      ([0x01, 0x04, 0x01, 3, 0, 2, 0], [], [0x06, 0x00, 0x01, 0x05]),
      ([0x01, 0x03, 0x02, 1, 0], [], [0x06, 0x00, 0x01, 0x09]),
    ] as [([UInt8], [UInt8], [UInt8])])
  func records(command: [UInt8], sequence: [UInt8], response: [UInt8]) throws {
    let started = try Started(.glucose([90, 91, 92, 93, 94]))
    started.subscribe("2A18")
    started.subscribe("2A52")
    #expect(started.write(command, to: "2A52") == "written 2A52 0")
    #expect(started.app.values(of: "2A18").map { $0[1] } == sequence)
    #expect(started.app.values(of: "2A52") == [Data(response)])
  }

  @Test("Records that were deleted are gone")
  func deletedRecords() throws {
    let started = try Started(.glucose([90, 91, 92]))
    started.subscribe("2A52")
    started.write([0x02, 0x03, 0x01, 2, 0], to: "2A52")
    started.write([0x04, 0x01], to: "2A52")
    #expect(started.app.values(of: "2A52").last == Data([0x05, 0x00, 1, 0]))
  }

  @Test("A keyboard gives its reports to an app that paired")
  func keyboard() throws {
    let started = try Started(.keyboard())
    started.app.read("2A4B")
    started.radio.advance(by: .seconds(5))
    let map = try #require(started.app.values(of: "2A4B").first, "\(started.radio)")
    // HID 1.11, appendix B.1: Usage Page (Generic Desktop) … End Collection, 63 bytes.
    #expect(map.count == 63 && map.prefix(2) == Data([0x05, 0x01]) && map.last == 0xC0)
    #expect(started.read("2A4A") == Data([0x11, 0x01, 0x00, 0x02]))
    started.subscribe("2A22")
    #expect(started.device.notify(DeviceDefinition.keyReport(usage: 0x04, modifiers: 0x02), for: "2A22"))
    started.radio.settle()
    #expect(started.app.values(of: "2A22").last == Data([0x02, 0x00, 0x04, 0, 0, 0, 0, 0]))
    #expect(started.radio.exchange.contains { $0.contains("SMP Pairing Request") })
  }

  @Test("A device with the services of two advertises and serves both")
  func composed() throws {
    let started = try Started(.heartRate(bpm: 72).adding(.battery(level: 3)))
    #expect(started.read("2A19") == Data([3]))
    #expect(started.read("2A38") == Data([1]))
  }
}
