import Dispatch
import Foundation
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

/// Many parties at once for a long time: two central managers on one controller, two threads that use them, devices one of
/// which never answers, radios that reset, lose power and go out of range. Whatever happened, when it is over all works.
///
/// A sample runs always; with `LATCHKEY_SOAK` there are a virtual hour of it, and 100 links.
@Suite(.timeLimit(.minutes(120)))
struct PartyTests {
  struct Schedule: Sendable {
    let seed: UInt64
    let deviceCount: Int
    let time: Duration
  }

  private static let sample = [Schedule(seed: 1, deviceCount: 5, time: .seconds(600))]
  private static let all =
    sample + [
      Schedule(seed: 2, deviceCount: 100, time: .seconds(3600)),
      Schedule(seed: 3, deviceCount: 8, time: .seconds(3600)),
    ]
  private static let isSoak = ProcessInfo.processInfo.environment["LATCHKEY_SOAK"] != nil

  @Test("Everything works after random events", arguments: isSoak ? all : sample)
  func worksAfterRandomEvents(schedule: Schedule) throws {
    let party = Party(deviceCount: schedule.deviceCount, seed: schedule.seed)
    party.misbehave(for: schedule.time)
    party.calmDown()
    // They met, and met again.
    for guest in party.guests { #expect(guest.meetings.withLock { $0 } > 2 * schedule.deviceCount) }

    // Nothing is stuck: all lets go.
    party.everybody { guest in
      for peripheral in guest.known { guest.manager.cancelPeripheralConnection(peripheral) }
    }
    party.pass(.seconds(60))
    for guest in party.guests {
      #expect(guest.known.allSatisfy { $0.state == .disconnected })
      #expect(guest.offences.withLock { $0 } == [])
    }
    #expect(party.hub.withHost { host, _ in host.connectedPeers.isEmpty })

    // And all can begin anew: every device is there, and every honest one answers.
    for guest in party.guests {
      guest.manager.scanForPeripherals(withServices: nil)
      party.pass(.seconds(30))
      #expect(guest.known.count == party.devices.count)
      for peripheral in guest.known { guest.manager.connect(peripheral) }
      for _ in 0..<60 where guest.known.contains(where: { $0.state != .connected }) { party.pass(.seconds(5)) }
      #expect(guest.known.allSatisfy { $0.state == .connected })
      guest.answers.withLock { $0 = 0 }
      party.pass(.seconds(30))
      let asked = guest.writeToAll()
      party.pass(.seconds(20))
      #expect(asked == party.devices.count)
      #expect(guest.answers.withLock { $0 } >= party.devices.count - 1)
    }
  }
}

/// The parties, on one radio whose time is moved by hand.
private final class Party {
  let guests: [Guest]
  let devices: [Device]
  let hub: HostDriver
  private let clock = VirtualClock()
  private let radio: VirtualRadio
  private let name = UUID().uuidString
  private var random: SplitMix64
  private var isGuestBusy = false

  init(deviceCount: Int, seed: UInt64) {
    random = SplitMix64(seed: seed)
    radio = VirtualRadio(scheduler: clock)
    radio.use(as: name)
    var configuration = ControllerConfiguration()
    configuration.maximumLinks = 128
    radio.addController("hub", configuration)
    let text = "virtual:\(name)"
    devices = (0..<deviceCount).map { Device($0, isHostile: $0 == 0, on: text) }
    guests = (0..<2).map { _ in Guest(on: "\(text)/hub") }
    hub = RadioRegistry.shared.driver(for: .virtual(name: name, controller: "hub"), role: .central)
    pass(.seconds(5))
  }

  deinit { RadioRegistry.shared.remove(.virtual(name: name)) }

  /// Lets time pass, in steps that give every queue its turn.
  func pass(_ time: Duration) {
    let end = clock.now + time
    while clock.now < end {
      clock.advance(by: min(.milliseconds(500), end - clock.now))
      drain()
    }
  }

  private func drain() {
    for _ in 0..<2 {
      for (index, guest) in guests.enumerated() where !(isGuestBusy && index == 1) { guest.queue.sync {} }
      for device in devices { device.queue.sync {} }
    }
  }

  func everybody(_ body: (Guest) -> Void) { for guest in guests { body(guest) } }

  func misbehave(for time: Duration) {
    let end = clock.now + time
    while clock.now < end {
      let (first, second) = (request(), request())
      let calls = Unchecked([first, second])
      DispatchQueue.concurrentPerform(iterations: 2) { calls.value[$0]() }
      mishap()
      pass(.milliseconds(Int64(random.next() % 1500)))
    }
  }

  func calmDown() {
    if isGuestBusy { guests[1].queue.resume() }
    isGuestBusy = false
    radio.setPowered(true, "hub")
    for device in devices {
      radio.setPowered(true, device.name)
      radio.setDistance(nil, between: "hub", and: device.name)
    }
    pass(.seconds(60))
  }

  /// The actions of an app, from any thread.
  private func request() -> () -> Void {
    let guest = guests[Int(random.next() % 2)]
    let known = guest.known
    guard !known.isEmpty else { return {} }
    let peripheral = known[Int(random.next() % UInt64(known.count))]
    switch random.next() % 10 {
    case 0..<4: return { if peripheral.state == .disconnected { guest.manager.connect(peripheral) } }
    case 4: return { guest.manager.cancelPeripheralConnection(peripheral) }
    case 5: return { guest.manager.scanForPeripherals(withServices: nil) }
    case 6: return { guest.manager.stopScan() }
    case 7: return { guest.toggle(peripheral) }
    case 8: return { peripheral.readRSSI() }
    default: return { _ = guest.write(to: peripheral) }
    }
  }

  /// The faults that they meet.
  private func mishap() {
    let device = devices[Int(random.next() % UInt64(devices.count))]
    switch random.next() % 40 {
    case 0: radio.raiseHardwareError(on: "hub")
    case 1: radio.raiseHardwareError(on: device.name)
    case 2: radio.setPowered(false, device.name)
    case 3...5: radio.setPowered(true, device.name)
    case 6: radio.dropLinks(of: device.name)
    case 7: radio.setDistance(10_000, between: "hub", and: device.name)
    case 8...10: radio.setDistance(nil, between: "hub", and: device.name)
    case 11: radio.setPowered(false, "hub")
    case 12...15: radio.setPowered(true, "hub")
    case 16, 17:
      if isGuestBusy { guests[1].queue.resume() } else { guests[1].queue.suspendWhenIdle() }
      isGuestBusy.toggle()
    case 18...24: device.queue.sync { device.notify() }
    default: break
    }
  }
}

/// An app with a central manager. Unchecked: what is not locked is set once.
private final class Guest: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  let queue = DispatchQueue(label: "guest")
  let offences = Locked<[String]>([])
  let answers = Locked(0)
  let meetings = Locked(0)
  private let peripherals = Locked<[UUID: CBPeripheral]>([:])
  private let values = Locked<[UUID: CBCharacteristic]>([:])
  private let connected = Locked<Set<UUID>>([])
  private(set) var manager: CBCentralManager!

  init(on controller: String) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: [CBManagerOptionControllerKey: controller])
  }

  /// The peripherals that were found, in an order that does not change.
  var known: [CBPeripheral] {
    peripherals.withLock { Array($0.values) }.sorted { $0.identifier.uuidString < $1.identifier.uuidString }
  }

  func write(to peripheral: CBPeripheral) -> Bool {
    guard let value = values.withLock({ $0[peripheral.identifier] }) else { return false }
    peripheral.writeValue(Data([1, 2, 3]), for: value, type: .withResponse)
    return true
  }

  func writeToAll() -> Int { known.count { write(to: $0) } }

  func toggle(_ peripheral: CBPeripheral) {
    guard let value = values.withLock({ $0[peripheral.identifier] }) else { return }
    peripheral.setNotifyValue(!value.isNotifying, for: value)
  }

  private func offend(_ text: String) { offences.withLock { $0.append(text) } }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { return central.scanForPeripherals(withServices: nil) }
    if !connected.withLock({ $0.isEmpty }) { offend("a connection outlives the radio") }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    peripheral.delegate = self
    let other = peripherals.withLock { $0.updateValue(peripheral, forKey: peripheral.identifier) }
    if let other, other !== peripheral { offend("two objects of one device") }
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    if !connected.withLock({ $0.insert(peripheral.identifier).inserted }) { offend("connected twice") }
    meetings.withLock { $0 += 1 }
    peripheral.discoverServices(nil)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    connected.withLock { _ = $0.remove(peripheral.identifier) }
    values.withLock { $0[peripheral.identifier] = nil }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first(where: { $0.uuid == CBUUID(string: "FFF0") }) else { return }
    peripheral.discoverCharacteristics(nil, for: service)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    guard let value = service.characteristics?.first else { return }
    values.withLock { $0[peripheral.identifier] = value }
  }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    values.withLock { $0[peripheral.identifier] = nil }
    peripheral.discoverServices(nil)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if error == nil { answers.withLock { $0 += 1 } }
  }
}

/// A device with a controller of its own. Unchecked: its state belongs to `queue`.
private final class Device: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  let name: String
  let queue = DispatchQueue(label: "device")
  private let isHostile: Bool
  private var manager: CBPeripheralManager!
  private var value: CBMutableCharacteristic?

  init(_ number: Int, isHostile: Bool, on radio: String) {
    name = "device-\(number)"
    self.isHostile = isHostile
    super.init()
    manager = CBPeripheralManager(
      delegate: self, queue: queue, options: [CBManagerOptionControllerKey: "\(radio)/\(name)"])
  }

  func notify() {
    guard let value, manager.state == .poweredOn else { return }
    manager.updateValue(Data([7]), for: value, onSubscribedCentrals: nil)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    switch peripheral.state {
    case .poweredOn where value == nil:
      let value = CBMutableCharacteristic(
        type: CBUUID(string: "FFF1"), properties: [.write, .notify, .indicate], value: nil, permissions: .writeable)
      let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
      service.characteristics = [value]
      self.value = value
      peripheral.add(service)
      peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
    case .resetting: value = nil
    default: break
    }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard !isHostile, let first = requests.first else { return }
    peripheral.respond(to: first, withResult: .success)
  }
}
