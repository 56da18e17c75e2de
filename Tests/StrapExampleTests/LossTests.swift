import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import StrapApp
import Testing

/// The strap, or Bluetooth, goes away in the middle.
@Suite(.timeLimit(.minutes(2)))
struct LossTests {
  @Test("After a lost connection the app is back in two seconds")
  func lostLink() throws {
    let (bench, strap) = try StrapBench.measuring()
    strap.loseLinks()
    bench.radio.settle()
    #expect(bench.app.status == .waiting(1) && bench.app.heartRate == nil, "the app does not notice the loss\n\(bench)")
    bench.radio.advance(by: .milliseconds(2500))
    #expect(bench.app.heartRate == 72, "the app does not connect again\n\(bench)")
  }

  @Test("A connection that is lost while the strap is looked at is made again")
  func lostDiscovery() throws {
    let (bench, strap) = try StrapBench.started(like: .slow)
    #expect(bench.comes(to: .preparing), "\(bench)")
    strap.loseLinks()
    #expect(bench.comesToMeasure(), "\(bench)")
    #expect(bench.app.statuses.contains(.waiting(1)), "\(bench)")
  }

  @Test("When Bluetooth is switched off and on, the app goes on with its strap")
  func bluetoothOff() throws {
    let (bench, strap) = try StrapBench.measuring()
    bench.radio.powerOff()
    bench.radio.settle()
    #expect(bench.app.status == .bluetoothOff && bench.app.heartRate == nil, "\(bench)")
    bench.radio.advance(by: .seconds(300))
    #expect(bench.app.status == .bluetoothOff, "\(bench)")
    bench.radio.powerOn()
    #expect(bench.comesToMeasure(), "\(bench)")
    #expect(strap.hasSubscriber("2A37"))
  }

  @Test("A strap that stays connected and says nothing more is connected to again")
  func silentStrap() throws {
    var definition = DeviceDefinition.strap()
    definition.services[0].characteristics[0].behavior = .stored
    let (bench, strap) = try StrapBench.started(definition)
    #expect(bench.comes(to: .measuring), "\(bench)")
    strap.notify(Data([0x06, 0x50]), for: "2A37")
    bench.radio.advance(by: .seconds(19))
    #expect(bench.app.heartRate == 80 && bench.app.status == .measuring, "\(bench)")
    bench.radio.advance(by: .seconds(3))
    #expect(bench.app.statuses.contains(.waiting(1)), "the app waits for a strap that is silent\n\(bench)")
    #expect(bench.app.status == .measuring && bench.app.heartRate == nil, "\(bench)")
  }

  @Test("An app that is stopped leaves the strap, and does nothing more")
  func stopped() throws {
    let (bench, strap) = try StrapBench.measuring()
    bench.app.stop()
    bench.radio.settle()
    #expect(strap.isAdvertising && !strap.hasSubscriber("2A37"), "the app keeps the strap\n\(bench)")
    let statuses = bench.app.statuses
    bench.radio.advance(by: .seconds(120))
    #expect(bench.app.statuses == statuses && bench.app.status == .stopped, "\(bench)")
  }
}
