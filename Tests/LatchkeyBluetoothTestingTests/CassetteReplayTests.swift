import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// Recorded devices on a radio, with an app.
@Suite(.timeLimit(.minutes(5)))
struct CassetteReplayTests {
  /// A session: both subscriptions, a command, its result and a stream.
  private static let session = Tape([
    .read(2, Array("v1.2".utf8), at: 1), .subscribe(0, at: 2), .write(1, [1], ._0x80, at: 3), .write(1, [2], at: 4),
    .sent(0, [0xAA], at: 4.25), .sent(0, [0xBB], at: 7), .read(2, Array("v1.3".utf8), at: 8),
  ])

  @Test(
    "An app that does what was recorded gets the same, at the same times, in either mode",
    arguments: Cassette.Replay.allCases)
  func session(replay: Cassette.Replay) throws {
    let started = try Started(cassette: Self.session.cassette, replay)
    #expect(started.read("FFE1") == Data("v1.2".utf8))
    started.subscribe("FFF1")
    #expect(started.write([1], to: "FFF2") == "written FFF2 128")
    #expect(started.write([2], to: "FFF2") == "written FFF2 0")
    let begin = started.radio.now
    #expect(started.app.values(of: "FFF1").isEmpty)
    started.radio.advance(by: .seconds(4))
    #expect(started.app.values(of: "FFF1") == [Data([0xAA]), Data([0xBB])])
    #expect(started.app.valueTimes.suffix(2) == [begin + .milliseconds(250), begin + .seconds(3)])
    #expect(started.read("FFE1") == Data("v1.3".utf8))
    #expect(started.device.cassetteReport == "", "\(started.device.cassetteReport)")
    #expect(started.device.cassetteDifferences.isEmpty && started.device.cassetteUnplayedSteps.isEmpty)
    #expect(started.device.writes.map(\.value) == [Data([2])])
  }

  @Test("A deviation is an error for the app, and a difference for the test")
  func deviation() throws {
    let started = try Started(cassette: Self.session.cassette, .strict)
    #expect(started.write([2], to: "FFF2") == "written FFF2 14")
    #expect(started.read("FFE1") == Data("v1.2".utf8))
    #expect(
      started.device.cassetteDifferences.map(\.description) == [
        "@@ steps[0] @@\n-read FFE0/FFE1\n+write FFF0/FFF2: 02"
      ])
    #expect(started.device.cassetteUnplayedSteps.map(\.step) == [1, 2, 3, 6])
    #expect(started.device.cassetteReport.hasSuffix("@@ steps[6] @@\n-read FFE0/FFE1"))
  }

  @Test("Other devices have no differences")
  func noCassette() throws {
    let device = try TestRadio().add(.battery())
    #expect(device.cassetteDifferences.isEmpty && device.cassetteUnplayedSteps.isEmpty && device.cassetteReport == "")
  }

  @Test("A value longer than a packet is read in parts of one recorded read, and written in parts of one write")
  func longValues() throws {
    let long = [UInt8](repeating: 7, count: 400)
    let tape = Tape([.read(2, long), .read(2, [1]), .write(1, long), .write(1, [1])])
    let started = try Started(cassette: tape.cassette, .strict)
    #expect(started.read("FFE1") == Data(long))
    #expect(started.read("FFE1") == Data([1]))
    #expect(started.write(long, to: "FFF2") == "written FFF2 0")
    #expect(started.write([1], to: "FFF2") == "written FFF2 0")
    #expect(started.device.cassetteReport == "", "\(started.device.cassetteReport)")
    // The MTU is that of the recording, not the app's 517.
    #expect(started.app.peripheral?.maximumWriteValueLength(for: .withoutResponse) == 182)
  }

  @Test("Writes without response are told from the others")
  func commands() throws {
    let started = try Started(cassette: Tape([.command(1, [1]), .write(1, [2])]).cassette, .strict)
    started.app.write([1], to: "FFF2", type: .withoutResponse)
    started.radio.settle()
    started.app.write([2], to: "FFF2", type: .withoutResponse)
    started.radio.settle()
    #expect(started.write([2], to: "FFF2") == "written FFF2 0")
    #expect(started.device.cassetteDifferences.map(\.actual) == ["write without response FFF0/FFF2: 02"])
  }

  @Test("A tape goes on over connections, and over power that fails")
  func connections() throws {
    let tape = Tape([.subscribe(0, at: 1), .sent(0, [1], at: 2), .read(2, [1], at: 5), .read(2, [2], at: 6)])
    let started = try Started(cassette: tape.cassette, .strict)
    started.subscribe("FFF1")
    started.app.disconnect()
    started.radio.advance(by: .seconds(10))
    #expect(started.app.values(of: "FFF1").isEmpty)
    started.device.powerOff()
    started.radio.advance(by: .seconds(10))
    started.device.powerOn()
    started.radio.settle()
    started.app.clear()
    started.app.connect()
    #expect(started.radio.advance(upTo: .seconds(30)) { started.app.isReady })
    #expect(started.read("FFE1") == Data([1]) && started.read("FFE1") == Data([2]))
    #expect(started.device.cassetteReport == "", "\(started.device.cassetteReport)")
  }

  @Test("Faults that a test asks for come before the tape")
  func faults() throws {
    let started = try Started(cassette: Tape([.read(2, [1])]).cassette, .strict)
    started.device.fail(.read("FFE1"), with: .insufficientResources, times: 1)
    #expect(started.read("FFE1") == nil)
    #expect(started.read("FFE1") == Data([1]))
  }

  @Test("An attribute is permitted what it was asked for, and encrypted as it was")
  func permissions() throws {
    var tape = Tape([.write(2, [1]), .write(0, [1], .writeNotPermitted), .read(2, [9])])
    tape.cassette.device.services[1].characteristics[0].permissions = .readEncryptionRequired
    let device = try TestRadio().add(tape.cassette)
    #expect(device.definition.services[1].characteristics[0].permissions == [.readEncryptionRequired, .writeable])
    #expect(device.definition.services[0].characteristics[0].permissions == .readable)
  }

  @Test("Behaviors of a cassette's device are not used")
  func behaviors() throws {
    var tape = Tape([.subscribe(0), .read(0, [1])])
    tape.cassette.device.services[0].characteristics[0].behavior = .notifyEvery(.seconds(1), [Data([9])])
    let started = try Started(cassette: tape.cassette, .loose)
    started.subscribe("FFF1")
    started.radio.advance(by: .seconds(10))
    #expect(started.app.values(of: "FFF1").isEmpty)
    #expect(started.read("FFF1") == Data([1]))
  }

  // MARK: Advertising

  @Test("The recorded data are advertised, byte by byte, with scan responses and signal, in turns")
  func advertising() throws {
    var cassette = Self.session.cassette
    let first = Data([2, 1, 6, 5, 0xFF, 0x4C, 0, 1, 2])
    let second = Data([2, 1, 6, 5, 0xFF, 0x4C, 0, 3, 4])
    cassette.advertisements = [
      .init(time: .seconds(3), rssi: -40, data: first),
      .init(time: .seconds(3), rssi: -40, data: Data([4, 9, 0x4C, 0x65, 0x64]), isScanResponse: true),
      .init(time: .seconds(5), rssi: -70, data: second, isConnectable: false),
      .init(time: .seconds(6), rssi: -70, data: first),
    ]
    let radio = TestRadio()
    let device = try radio.add(cassette)
    let scanner = Scanner()
    radio.use { scanner.start() }
    radio.advance(by: .milliseconds(1500))
    #expect(scanner.found.last?[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x4C, 0, 1, 2]))
    #expect(scanner.found.last?[CBAdvertisementDataLocalNameKey] as? String == "Led")
    #expect((scanner.found.last?[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue == true)
    #expect(scanner.found.last?[CBAdvertisementDataServiceUUIDsKey] == nil)
    #expect(scanner.rssi.last == -40)
    radio.advance(by: .seconds(1))
    #expect(scanner.found.last?[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x4C, 0, 3, 4]))
    #expect((scanner.found.last?[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue == false)
    #expect(scanner.rssi.last == -70)
    // From the first again; the signal stays, until the test says otherwise.
    radio.advance(by: .seconds(1))
    #expect(scanner.found.last?[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x4C, 0, 1, 2]))
    #expect(scanner.rssi.last == -70)
    device.rssi = -20
    radio.advance(by: .seconds(1))
    #expect(scanner.rssi.last == -20)
    // Switched off for a while, it goes on.
    device.powerOff()
    radio.advance(by: .seconds(20))
    let before = scanner.found.count
    device.powerOn()
    radio.advance(by: .seconds(4))
    let data = Set(scanner.found.dropFirst(before).compactMap { $0[CBAdvertisementDataManufacturerDataKey] as? Data })
    #expect(data == [Data([0x4C, 0, 1, 2]), Data([0x4C, 0, 3, 4])])
    device.stopAdvertising()
    radio.settle()
    let count = scanner.found.count
    radio.advance(by: .seconds(5))
    #expect(scanner.found.count == count)
  }

  @Test("A long advertisement is sent by extended packets, and none at all leaves that of the definition")
  func longAdvertisement() throws {
    var cassette = Self.session.cassette
    cassette.advertisements = [.init(time: .zero, data: Data([2, 1, 6, 60, 0xFF]) + Data(repeating: 5, count: 59))]
    let radio = TestRadio()
    let device = try radio.add(cassette)
    let data = AdvertisedDataTests.found(on: radio).last
    #expect(data?[CBAdvertisementDataManufacturerDataKey] as? Data == Data(repeating: 5, count: 59))
    radio.remove(device)
    // More than the radio's packets hold: as many structures as fit.
    cassette.advertisements = [
      .init(time: .zero, data: Data([2, 1, 6, 251, 0xFF]) + Data(repeating: 5, count: 250)),
      .init(time: .seconds(1), data: Data([4, 9, 0x4C, 0x65, 0x64, 250, 0xFF]) + Data(repeating: 5, count: 249)),
    ]
    let third = TestRadio()
    try third.add(cassette)
    #expect(
      AdvertisedDataTests.found(on: third, for: .milliseconds(1800)).last?[CBAdvertisementDataLocalNameKey] as? String
        == "Led")
    cassette.advertisements = []
    let other = TestRadio()
    try other.add(cassette)
    #expect(AdvertisedDataTests.found(on: other).last?[CBAdvertisementDataLocalNameKey] as? String == "Lamp")
  }
}
