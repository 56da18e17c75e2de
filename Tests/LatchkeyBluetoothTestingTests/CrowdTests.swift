import CoreBluetooth
import Dispatch
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// Many devices, several apps, and what goes away while it is used.
@Suite(.timeLimit(.minutes(5)))
struct CrowdTests {
  @Test("A hundred devices are found, and each says what it has")
  func aHundredDevices() throws {
    let radio = TestRadio()
    let devices = try (0..<100).map { try radio.add(.battery(level: UInt8($0))) }
    let app = App()
    app.connects = false
    radio.use { app.start() }
    #expect(radio.advance(upTo: .seconds(30)) { app.peripherals.count == 100 }, "\(app.peripherals.count) are found")
    #expect(Set(devices.map(\.name)).count == 100)
    for device in devices.prefix(99) { radio.remove(device) }
    let last = App()
    radio.use(as: "other") { last.start() }
    #expect(radio.advance(upTo: .seconds(30)) { last.isReady }, "\(radio)")
    last.read("2A19")
    radio.settle()
    #expect(last.values(of: "2A19") == [Data([99])])
  }

  @Test(
    "A device that is removed in the middle leaves an app that is told, and a radio that comes to rest",
    arguments: ["found", "connected", "ready", "read", "subscribed"])
  func removed(at phase: String) throws {
    let radio = TestRadio()
    let strap = try radio.add(.heartRate(bpm: 72))
    let app = App()
    app.connects = phase != "found"
    radio.use(like: .slow) { app.start() }
    let line = ["found": "found Heart Rate -50", "connected": "connected"][phase] ?? "ready"
    #expect(radio.advance(upTo: .seconds(30)) { app.log.contains(line) }, "\(radio)")
    if phase == "read" { app.read("2A38") }
    if phase == "subscribed" {
      app.subscribe("2A37")
      radio.advance(by: .seconds(3))
    }
    radio.remove(strap)
    app.connect()
    app.read("2A38")
    radio.advance(by: .seconds(60))
    #expect(radio.settle())
    #expect(radio.presentDevices.isEmpty)
    #expect(phase == "found" || app.log.contains { $0.hasPrefix("disconnected") }, "\(app.log)\n\(radio)")
    // What is left of the device takes calls.
    #expect(!strap.notify(Data([0, 1]), for: "2A37") && !strap.hasSubscriber("2A37"))
    strap.loseLinks()
    strap.powerOn()
    strap.startAdvertising()
    radio.advance(by: .seconds(1))
    #expect(!strap.isAdvertising)
  }

  @Test("A device is removed and another one added by the app's own callbacks")
  func changedByCallbacks() throws {
    let started = try Started(.battery(level: 3))
    let (radio, device) = (started.radio, started.device)
    started.app.onValue = { app, _ in
      app.onValue = nil
      radio.remove(device)
      _ = try? radio.add(.battery(level: 4))
      app.scan()
    }
    started.app.read("2A19")
    radio.advance(by: .seconds(10))
    #expect(radio.presentDevices.count == 1)
    #expect(started.app.peripherals.count == 2, "\(radio)")
  }

  @Test("Two apps on one phone share a connection, and each ends its own")
  func twoAppsOnOnePhone() throws {
    let radio = TestRadio()
    let strap = try radio.add(.heartRate(bpm: 72))
    let apps = [App(), App()]
    for app in apps { radio.use { app.start(service: "180D") } }
    #expect(radio.advance(upTo: .seconds(30)) { apps.allSatisfy(\.isReady) }, "\(radio)")
    for app in apps { app.subscribe("2A37") }
    radio.advance(by: .seconds(2))
    apps[0].disconnect()
    radio.settle()
    let before = apps.map { $0.values(of: "2A37").count }
    radio.advance(by: .seconds(3))
    #expect(apps[0].values(of: "2A37").count == before[0])
    #expect(apps[1].values(of: "2A37").count == before[1] + 3, "\(radio)")
    apps[1].disconnect()
    radio.settle()
    #expect(!strap.hasSubscriber("2A37") && strap.isAdvertising)
  }

  @Test("An app whose radio goes away keeps its manager, and neither it nor the next test is harmed")
  func radioGoesAway() throws {
    var started: Started? = try Started(.heartRate(bpm: 72))
    let (app, device) = try (#require(started?.app), #require(started?.device))
    app.subscribe("2A37")
    started?.radio.advance(by: .seconds(2))
    let name = started?.radio.name
    started = nil
    app.read("2A38")
    app.write([1], to: "2A39")
    app.scan()
    app.disconnect()
    app.connect()
    device.notify(Data([0, 1]), for: "2A37")
    app.stop()
    // Its name is free again, and others do not meet what was there.
    let next = try Started(.battery(level: 1))
    #expect(next.radio.name != name && next.app.peripherals.count == 1)
  }

  @Test("Several threads wait for one radio, and move its time")
  func severalThreads() throws {
    let started = try Started(.heartRate(bpm: 72))
    started.subscribe("2A37")
    let radio = started.radio
    let app = started.app
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      for _ in 0..<20 {
        app.read("2A38")
        if index % 2 == 0 { radio.settle() } else { radio.advance(by: .milliseconds(100)) }
      }
    }
    #expect(radio.settle())
    #expect(app.values(of: "2A38").count == 160, "\(app.values(of: "2A38").count)")
    #expect(app.values(of: "2A37").count >= 1)
  }
}
