import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// What goes wrong when the test says so.
@Suite(.timeLimit(.minutes(5)))
struct FaultTests {
  @Test("A read is refused as often as it was said, then answered")
  func refusedReads() throws {
    let started = try Started(.battery(level: 4))
    started.device.fail(.read("2A19"), with: .unlikelyError, times: 2)
    for _ in 0..<2 { #expect(started.read("2A19") == nil) }
    #expect(started.app.log.filter { $0 == "no value 2A19 14" }.count == 2)
    #expect(started.read("2A19") == Data([4]))
  }

  @Test("A refusal without a number holds until the device recovers")
  func refusedForGood() throws {
    let started = try Started(.battery(level: 4))
    started.device.fail(.read("2A19"), with: .readNotPermitted)
    for _ in 0..<5 { #expect(started.read("2A19") == nil) }
    started.device.recover()
    #expect(started.read("2A19") == Data([4]))
  }

  @Test("A fault for no request does nothing", arguments: [0, -1])
  func noTimes(_ times: Int) throws {
    let started = try Started(.battery(level: 4))
    started.device.fail(.read("2A19"), with: .unlikelyError, times: times)
    #expect(started.read("2A19") == Data([4]))
  }

  @Test("A refusal for lack of encryption makes the app pair, and the read succeeds")
  func insufficientEncryption() throws {
    let started = try Started(.heartRate(bpm: 72).adding(.battery(level: 4)))
    started.device.fail(.read("2A19"), with: .insufficientEncryption, times: 1)
    started.app.read("2A19")
    started.radio.advance(by: .seconds(5))
    #expect(started.app.values(of: "2A19") == [Data([4])], "\(started.radio)")
    #expect(started.radio.exchange.contains { $0.contains("SMP Pairing Request") })
    #expect(started.radio.exchange.contains { $0.hasSuffix("  encrypted") })
  }

  @Test("A write is refused; the next one arrives")
  func refusedWrites() throws {
    let started = try Started(.heartRate(bpm: 72))
    started.device.fail(.write("180D/2A39"), with: .writeNotPermitted, times: 1)
    #expect(started.write([1], to: "2A39") == "written 2A39 3")
    #expect(started.write([1], to: "2A39") == "written 2A39 0")
    #expect(started.device.writes.count == 1)
  }

  @Test("A subscription is refused as often as it was said; then values come")
  func refusedSubscriptions() throws {
    let started = try Started(.heartRate(bpm: 72))
    started.device.fail(.subscribe("2A37"), with: .insufficientResources, times: 2)
    for _ in 0..<2 {
      started.subscribe("2A37")
      #expect(started.app.log.last == "subscribed 2A37 false 17", "\(started.radio)")
      #expect(!started.device.hasSubscriber("2A37"))
    }
    started.radio.advance(by: .seconds(3))
    #expect(started.app.values(of: "2A37").isEmpty)
    started.subscribe("2A37")
    #expect(started.app.log.last == "subscribed 2A37 true 0")
    started.radio.advance(by: .seconds(2))
    #expect(started.app.values(of: "2A37").count == 2)
    #expect(started.radio.exchange.contains { $0.contains("Error Response") && $0.contains("Insufficient Resources") })
  }

  @Test("A refused end of a subscription leaves the app subscribed")
  func refusedUnsubscriptions() throws {
    let started = try Started(.heartRate(bpm: 72))
    started.subscribe("2A37")
    started.device.fail(.subscribe("2A37"), with: .unlikelyError, times: 1)
    started.app.subscribe("2A37", false)
    started.radio.settle()
    #expect(started.device.hasSubscriber("2A37"))
    started.app.subscribe("2A37", false)
    started.radio.settle()
    #expect(!started.device.hasSubscriber("2A37"), "\(started.radio)")
  }

  @Test("A subscription refused for lack of encryption makes the app pair, and succeeds")
  func securedSubscription() throws {
    let started = try Started(.heartRate(bpm: 72))
    started.device.fail(.subscribe("2A37"), with: .insufficientEncryption, times: 1)
    started.app.subscribe("2A37")
    started.radio.advance(by: .seconds(5))
    #expect(started.app.log.last == "subscribed 2A37 true 0", "\(started.radio)")
    #expect(started.radio.exchange.contains { $0.hasSuffix("  encrypted") })
  }

  @Test("A subscription is answered late, and values come from then on")
  func delayedSubscription() throws {
    let started = try Started(.heartRate(bpm: 72))
    started.device.delay(.subscribe("2A37"), by: .seconds(5), times: 1)
    started.app.subscribe("2A37")
    started.radio.advance(by: .milliseconds(4999))
    #expect(!started.device.hasSubscriber("2A37"))
    started.radio.advance(by: .milliseconds(1))
    #expect(started.device.hasSubscriber("2A37"))
    #expect(started.app.log.last == "subscribed 2A37 true 0")
  }

  @Test("A subscription that is never answered costs the link after thirty seconds")
  func droppedSubscription() throws {
    let started = try Started(.heartRate(bpm: 72))
    started.device.drop(.subscribe("2A37"), times: 1)
    started.app.subscribe("2A37")
    started.radio.advance(by: .seconds(31))
    #expect(started.app.log.contains { $0.hasPrefix("disconnected") }, "\(started.radio)")
    #expect(!started.device.hasSubscriber("2A37"))
  }

  @Test("A link that ends while a subscription waits leaves nobody subscribed")
  func lostSubscription() throws {
    let started = try Started(.heartRate(bpm: 72))
    started.device.delay(.subscribe("2A37"), by: .seconds(5), times: 1)
    started.app.subscribe("2A37")
    started.radio.settle()
    started.device.loseLinks()
    started.radio.advance(by: .seconds(10))
    #expect(!started.device.hasSubscriber("2A37"))
    #expect(started.app.log.contains { $0.hasPrefix("disconnected") })
  }

  @Test("A delayed answer comes at its time")
  func delays() throws {
    let started = try Started(.battery(level: 4))
    started.device.delay(.read("2A19"), by: .seconds(3), times: 1)
    #expect(started.read("2A19") == nil)
    started.radio.advance(by: .milliseconds(2999))
    #expect(started.app.values(of: "2A19").isEmpty)
    started.radio.advance(by: .milliseconds(1))
    #expect(started.app.values(of: "2A19") == [Data([4])])
  }

  @Test("A delayed write changes the value when it is answered")
  func delayedWrites() throws {
    let started = try Started(Self.one(.stored))
    started.device.delay(.write("FFF1"), by: .seconds(1), times: 1)
    started.app.write([9], to: "FFF1")
    started.radio.settle()
    #expect(started.device.value(of: "FFF1") == Data())
    started.radio.advance(by: .seconds(1))
    #expect(started.device.value(of: "FFF1") == Data([9]))
    #expect(started.app.log.last == "written FFF1 0")
  }

  @Test("The link is lost at the third write, which arrives")
  func linkLossAtAWrite() throws {
    let started = try Started(Self.one(.stored))
    started.device.loseLink(atWrite: 3)
    for value in 1...2 as ClosedRange<UInt8> { #expect(started.write([value], to: "FFF1") == "written FFF1 0") }
    started.app.write([3], to: "FFF1")
    started.radio.advance(by: .seconds(1))
    #expect(started.app.log.contains { $0.hasPrefix("disconnected") }, "\(started.radio)")
    #expect(started.device.writes.map(\.value) == [Data([1]), Data([2]), Data([3])])
    #expect(started.device.value(of: "FFF1") == Data([2]))
  }

  @Test("An app that connects again after a lost link goes on")
  func reconnecting() throws {
    let started = try Started(Self.one(.stored))
    started.device.loseLinks()
    started.radio.settle()
    started.app.clear()
    started.app.connect()
    #expect(started.radio.advance(upTo: .seconds(30)) { started.app.isReady }, "\(started.radio)")
    #expect(started.write([7], to: "FFF1") == "written FFF1 0")
  }

  @Test("With the smallest MTU long values come in parts", arguments: [true, false])
  func smallestMTU(isDevice: Bool) throws {
    var definition = Self.one(.stored)
    let value = Data((0..<200).map { UInt8($0) })
    definition.services[0].characteristics[0].value = value
    let started =
      isDevice ? try Started(definition, mtu: 23) : try Started(definition, like: .smallestPackets)
    #expect(started.app.peripheral?.maximumWriteValueLength(for: .withoutResponse) == 20)
    started.app.read("FFF1")
    started.radio.advance(by: .seconds(5))
    #expect(started.app.values(of: "FFF1") == [value], "\(started.radio)")
    #expect(started.radio.exchange.contains { $0.contains("Read Blob Request") })
    started.app.write([UInt8](value.reversed()), to: "FFF1")
    started.radio.advance(by: .seconds(5))
    #expect(started.device.writes.map(\.value) == [Data(value.reversed())])
  }

  @Test("On a slow phone an exchange takes its time")
  func slowPhone() throws {
    let started = try Started(Self.one(.stored), like: .slow)
    let start = started.radio.now
    started.app.write(Array(repeating: 1, count: 100), to: "FFF1")
    #expect(started.radio.advance(upTo: .seconds(10)) { !started.device.writes.isEmpty }, "\(started.radio)")
    #expect(started.radio.now - start >= .milliseconds(150))
  }

  @Test("An app reaches its device with a controller that cannot scan while it connects")
  func zephyr() throws {
    let started = try Started(.battery(level: 6), like: .zephyr)
    #expect(started.read("2A19") == Data([6]))
  }

  @Test("Out of range a device is lost, and not found")
  func outOfRange() throws {
    let started = try Started(.battery())
    started.device.leaveRange()
    started.radio.advance(by: .seconds(30))
    #expect(started.app.log.contains { $0.hasPrefix("disconnected") }, "\(started.radio)")
    started.app.clear()
    started.app.scan()
    started.radio.advance(by: .seconds(5))
    #expect(started.app.log.isEmpty)
    started.device.distance = nil
    started.radio.advance(by: .seconds(5))
    #expect(started.app.log.contains { $0.hasPrefix("found") })
  }

  @Test("The signal follows the distance along a path")
  func paths() throws {
    let radio = TestRadio()
    let device = try radio.add(.battery())
    device.follow([
      PathPoint(at: .zero, distance: 1), PathPoint(at: .seconds(10), distance: 10),
      PathPoint(at: .seconds(20), distance: 10),
    ])
    #expect(device.distance == 1)
    radio.advance(by: .seconds(5))
    #expect(abs((device.distance ?? 0) - 5.5) < 0.01)
    radio.advance(by: .seconds(60))
    #expect(device.distance == 10)
    let app = App()
    app.connects = false
    radio.use { app.start() }
    radio.advance(by: .seconds(1))
    // -55 dBm at one meter, 20 dB less at ten.
    #expect(app.log.contains("found Battery -75"))
    device.rssi = -80
    app.clear()
    app.scan()
    radio.advance(by: .seconds(1))
    #expect(app.log.contains("found Battery -80"))
  }

  @Test("A new way replaces the one before, and none stops it")
  func replacedPaths() throws {
    let radio = TestRadio()
    let device = try radio.add(.battery())
    device.follow([PathPoint(at: .zero, distance: 1), PathPoint(at: .seconds(10), distance: 11)])
    radio.advance(by: .seconds(2))
    device.follow([PathPoint(at: .zero, distance: 50)])
    radio.advance(by: .seconds(20))
    #expect(device.distance == 50)
    device.follow([])
    #expect(device.distance == 50)
  }

  @Test("A device that is switched off is lost; switched on, it is found and serves again")
  func power() throws {
    let started = try Started(.battery(level: 2))
    started.device.powerOff()
    started.radio.advance(by: .seconds(30))
    #expect(started.app.log.contains { $0.hasPrefix("disconnected") }, "\(started.radio)")
    started.device.powerOn()
    started.app.clear()
    started.app.connect()
    #expect(started.radio.advance(upTo: .seconds(30)) { started.app.isReady }, "\(started.radio)")
    #expect(started.read("2A19") == Data([2]))
  }

  @Test("A phone's Bluetooth is switched off and on")
  func phonePower() throws {
    let started = try Started(.battery(level: 2))
    started.radio.powerOff()
    started.radio.settle()
    #expect(started.app.log.contains("state 4"), "\(started.radio)")
    started.app.clear()
    started.radio.powerOn()
    started.radio.settle()
    #expect(started.app.log.contains("state 5"))
    started.app.connect()
    #expect(started.radio.advance(upTo: .seconds(30)) { started.app.isReady }, "\(started.radio)")
  }

  @Test("A device that refuses to pair is not read")
  func refusedPairing() throws {
    var definition = Self.one(.stored)
    definition.pairing = .refuse
    definition.services[0].characteristics[0].permissions = [.readEncryptionRequired]
    let user = Confirmation()
    let started = try Started(definition, agent: user)
    started.app.read("FFF1")
    started.radio.advance(by: .seconds(5))
    #expect(started.app.values(of: "FFF1").isEmpty)
    #expect(started.app.log.contains { $0.hasPrefix("no value FFF1") }, "\(started.radio)")
    #expect(started.radio.exchange.contains { $0.contains("SMP Pairing Failed") })
    #expect(user.messages == ["The device refused the pairing: it gives no reason."])
  }

  /// The user of an app that says yes.
  private final class Confirmation: CBPairingAgent, @unchecked Sendable {
    private let lock = NSLock()
    private var texts: [String] = []
    var messages: [String] { lock.withLock { texts } }
    let ability = CBPairingAbility.confirm

    func manager(_ manager: CBManager, isAskedToPair request: CBPairingRequest) { request.accept() }

    func manager(_ manager: CBManager, didFailToPairWith peerIdentifier: UUID, error: any Error) {
      lock.withLock { texts.append(error.localizedDescription) }
    }
  }

  @Test("A device whose user enters other digits than the app shows does not pair")
  func wrongPasskey() throws {
    var definition = Self.one(.stored)
    definition.pairing = .wrongPasskey
    definition.services[0].characteristics[0].permissions = [.readEncryptionRequired]
    let user = Display()
    let started = try Started(definition, agent: user)
    started.app.read("FFF1")
    started.radio.advance(by: .seconds(5))
    #expect(user.shown.count == 1 && user.failures == 1, "\(started.radio)")
    #expect(started.app.log.contains { $0.hasPrefix("no value FFF1") }, "\(started.radio)")
    #expect(started.app.values(of: "FFF1").isEmpty)
  }

  @Test("An app pairs with a device that displays a passkey, if its user enters the same", arguments: [true, false])
  func displayedPasskey(isRight: Bool) throws {
    var definition = Self.one(.stored)
    definition.pairing = .displays(passkey: "000042")
    definition.services[0].characteristics[0].permissions = [.readEncryptionRequired]
    definition.services[0].characteristics[0].value = Data([7])
    let user = Keyboard(isRight ? "000042" : "000043")
    let started = try Started(definition, agent: user)
    started.app.read("FFF1")
    started.radio.advance(by: .seconds(5))
    #expect(started.app.values(of: "FFF1") == (isRight ? [Data([7])] : []), "\(started.radio)")
    #expect(user.failures == (isRight ? 0 : 1))
    // The digits are nowhere in the exchange.
    #expect(!started.radio.describeExchange().contains("000042"))
  }

  @Test("An app whose user enters a passkey pairs with a device whose user enters the same", arguments: [true, false])
  func enteredPasskey(isRight: Bool) throws {
    var definition = Self.one(.stored)
    definition.pairing = .enters(passkey: "123456")
    definition.services[0].characteristics[0].permissions = [.readEncryptionRequired]
    definition.services[0].characteristics[0].value = Data([7])
    let user = Keyboard(isRight ? "123456" : "023456")
    let started = try Started(definition, agent: user)
    started.app.read("FFF1")
    started.radio.advance(by: .seconds(5))
    #expect(started.app.values(of: "FFF1") == (isRight ? [Data([7])] : []), "\(started.radio)")
    #expect(user.failures == (isRight ? 0 : 1))
  }

  /// The user of an app that asks for digits.
  private final class Keyboard: CBPairingAgent, @unchecked Sendable {
    private let lock = NSLock()
    private let digits: String
    private var failed = 0
    var failures: Int { lock.withLock { failed } }
    let ability = CBPairingAbility.keyboard

    init(_ digits: String) { self.digits = digits }

    func manager(_ manager: CBManager, isAskedToPair request: CBPairingRequest) {
      if request.question == .enter { request.enter(digits) } else { request.reject() }
    }

    func manager(_ manager: CBManager, didFailToPairWith peerIdentifier: UUID, error: any Error) {
      lock.withLock { failed += 1 }
    }
  }

  /// The user of an app that shows digits.
  private final class Display: CBPairingAgent, @unchecked Sendable {
    private let lock = NSLock()
    private var digits: [String] = []
    private var failed = 0
    var shown: [String] { lock.withLock { digits } }
    var failures: Int { lock.withLock { failed } }
    let ability = CBPairingAbility.display

    func manager(_ manager: CBManager, isAskedToPair request: CBPairingRequest) {
      if case .show(let text) = request.question { lock.withLock { digits.append(text) } } else { request.accept() }
    }

    func manager(_ manager: CBManager, didFailToPairWith peerIdentifier: UUID, error: any Error) {
      lock.withLock { failed += 1 }
    }
  }

  @Test("An app that never waits for answers does not break the device")
  func floods() throws {
    let started = try Started(.nordicUART())
    let (receive, transmit) = ("6E400002-B5A3-F393-E0A9-E50E24DCCA9E", "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
    started.subscribe(transmit)
    for index in 0..<1000 {
      started.app.write([UInt8(index & 0xFF)], to: receive, type: index % 2 == 0 ? .withResponse : .withoutResponse)
    }
    #expect(started.radio.settle())
    #expect(started.read(receive) == nil)
    #expect(started.app.values(of: transmit).count >= 500)
  }

  /// A device with one characteristic FFF1 that is read and written.
  static func one(_ behavior: DeviceDefinition.Behavior) -> DeviceDefinition {
    DeviceDefinition(
      name: "One",
      services: [
        .init("FFF0", characteristics: [.init("FFF1", [.read, .write, .notify], behavior: behavior)])
      ])
  }
}
