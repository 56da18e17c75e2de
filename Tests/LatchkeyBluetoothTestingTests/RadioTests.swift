import CoreBluetooth
import Dispatch
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// Several radios, devices and apps.
@Suite(.timeLimit(.minutes(5)))
struct RadioTests {
  @Test("Radios side by side do not hear each other", arguments: 0..<50)
  func manyRadios(index: Int) throws {
    let started = try Started(.battery(level: UInt8(index)))
    #expect(started.read("2A19") == Data([UInt8(index)]), "\(started.radio)")
    #expect(started.app.peripherals.count == 1)
  }

  @Test("Several devices are on one radio, each with its own values, and two of one name")
  func severalDevices() throws {
    let radio = TestRadio()
    let strap = try radio.add(.heartRate(bpm: 72))
    let first = try radio.add(.battery(level: 1))
    let second = try radio.add(.battery(level: 2))
    #expect([strap.name, first.name, second.name] == ["Heart-Rate", "Battery", "Battery-2"])
    let app = App()
    app.connects = false
    radio.use { app.start() }
    radio.advance(by: .seconds(1))
    #expect(app.peripherals.count == 3)
    #expect(app.log.filter { $0 == "found Battery -50" }.count == 2)
  }

  @Test("Two apps are two phones, and a device serves both")
  func twoApps() throws {
    let radio = TestRadio()
    let strap = try radio.add(.heartRate(bpm: 72))
    let apps = [App(), App()]
    for (index, app) in apps.enumerated() {
      radio.use(as: "phone-\(index)") { app.start(service: "180D") }
      // A device that is connected advertises again when the link ends; this one does so on.
      try #require(radio.advance(upTo: .seconds(30)) { app.isReady }, "\(radio)")
      strap.startAdvertising()
      app.subscribe("2A37")
    }
    radio.advance(by: .seconds(2))
    for app in apps { #expect(app.values(of: "2A37").count >= 2) }
  }

  @Test("A manager that a callback makes is on the same radio")
  func managersOfCallbacks() throws {
    let radio = TestRadio()
    try radio.add(.battery(level: 8))
    let second = App()
    let first = Starter { second.start() }
    radio.use { first.start() }
    radio.advance(by: .seconds(1))
    #expect(second.isReady, "\(radio)")
  }

  @Test("A manager that names a controller keeps it inside use()")
  func optionsComeFirst() throws {
    let (radio, other) = (TestRadio(), TestRadio())
    let app = App()
    app.connects = false
    try other.add(.battery())
    let manager = other.use {
      CBCentralManager(
        delegate: app, queue: app.queue,
        options: [CBManagerOptionControllerKey: radio.specification(of: "phone")])
    }
    radio.advance(by: .seconds(1))
    other.advance(by: .seconds(1))
    #expect(app.log == ["state 5"])
    withExtendedLifetime(manager) {}
  }

  @Test("A device that is removed is not found")
  func removedDevices() throws {
    let radio = TestRadio()
    let device = try radio.add(.battery())
    radio.settle()
    #expect(device.isAdvertising)
    radio.remove(device)
    let app = App()
    radio.use { app.start() }
    radio.advance(by: .seconds(5))
    #expect(app.peripherals.isEmpty)
  }

  @Test("A thousand tests of scan, connect, discover, read and write end alike")
  func aThousandTests() throws {
    for _ in 0..<1000 {
      let started = try Started(.heartRate(bpm: 72))
      #expect(started.read("2A38") == Data([0x01]))
      #expect(started.write([0x01], to: "2A39") == "written 2A39 0")
    }
  }

  /// An app that does something in its first callback.
  private final class Starter: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    private let body: () -> Void
    private var manager: CBCentralManager?
    init(_ body: @escaping () -> Void) { self.body = body }
    func start() { manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "starter")) }
    func centralManagerDidUpdateState(_ central: CBCentralManager) { body() }
  }
}
