import CoreBluetooth
import Foundation
import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Synchronization

/// A service of the device's program, beside those of provisioning: one value, which the program gives for each read.
final class ReadService: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  static let uuid = CBUUID(string: "FFF0")
  static let value = CBUUID(string: "FFF1")

  private let queue = DispatchQueue(label: "service")
  private var manager: CBPeripheralManager?

  init(at controller: String) {
    super.init()
    queue.async { [self] in
      manager = CBPeripheralManager(
        delegate: self, queue: queue, options: [CBManagerOptionControllerKey: controller])
    }
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: Self.uuid, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(type: Self.value, properties: .read, value: nil, permissions: .readable)
    ]
    peripheral.add(service)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    request.value = Data([1, 2, 3, 4, 5, 6, 7, 8])
    peripheral.respond(to: request, withResult: .success)
  }
}

/// A central that connects to the device, discovers all of it, and goes on from there. All of its state belongs to its queue.
class Link: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  let queue: DispatchQueue
  var characteristics: [String: CBCharacteristic] = [:]
  var isWanted: Bool
  private(set) var manager: CBCentralManager?
  private(set) var peripheral: CBPeripheral?
  private var undiscovered = 0

  init(at controller: String, isWanted: Bool) {
    queue = DispatchQueue(label: controller)
    self.isWanted = isWanted
    super.init()
    queue.async { [self] in
      manager = CBCentralManager(delegate: self, queue: queue, options: [CBManagerOptionControllerKey: controller])
    }
  }

  func ready(_ peripheral: CBPeripheral) {}

  func connect() {
    if let peripheral { manager?.connect(peripheral, options: nil) }
  }

  func disconnect() {
    if let peripheral { manager?.cancelPeripheralConnection(peripheral) }
  }

  func end() {
    queue.async { [self] in
      isWanted = false
      disconnect()
    }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil, options: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard self.peripheral == nil else { return }
    self.peripheral = peripheral
    peripheral.delegate = self
    central.stopScan()
    if isWanted { connect() }
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    characteristics = [:]
    peripheral.discoverServices(nil)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    if isWanted { connect() }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard isWanted, peripheral.state == .connected else { return }
    let services = peripheral.services ?? []
    undiscovered = services.count
    for service in services { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    for found in service.characteristics ?? [] { characteristics[found.uuid.uuidString] = found }
    undiscovered -= 1
    if undiscovered == 0, isWanted, peripheral.state == .connected { ready(peripheral) }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
  }
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {}
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}
}

/// Reads the value again and again.
final class Reader: Link, @unchecked Sendable {
  private let count = Atomic(0)
  var reads: Int { count.load(ordering: .relaxed) }

  init(at controller: String) { super.init(at: controller, isWanted: true) }

  override func ready(_ peripheral: CBPeripheral) { read(peripheral) }

  override func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if error == nil { count.add(1, ordering: .relaxed) }
    read(peripheral)
  }

  private func read(_ peripheral: CBPeripheral) {
    if let value = characteristics[ReadService.value.uuidString] { peripheral.readValue(for: value) }
  }
}

/// Guesses as fast as the device answers, with messages that were made once.
final class Guesser: Link, @unchecked Sendable {
  private static let session = "021AFF51-0382-4AEA-BFF4-6B3F1C5ADFB4"

  private let isEspressif: Bool
  private let made = Atomic(0)
  private let computed = Atomic(0)
  private var hello: [(value: [UInt8], withResponse: Bool)] = []
  private var proves = false

  /// Guesses that were sent, and those for which the device computed its answer.
  var guesses: Int { made.load(ordering: .relaxed) }
  var handshakes: Int { computed.load(ordering: .relaxed) }

  init(at controller: String, espressif: Bool) {
    isEspressif = espressif
    super.init(at: controller, isWanted: false)
  }

  func begin() {
    queue.async { [self] in
      isWanted = true
      connect()
    }
  }

  override func ready(_ peripheral: CBPeripheral) {
    guard isEspressif else {
      if let receive = characteristics[SecureService.receive] { peripheral.setNotifyValue(true, for: receive) }
      return
    }
    proves = false
    command(peripheral)
  }

  // MARK: Espressif's Security 2

  private static let keyCommand: [UInt8] = {
    let key = (0..<384).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
    return SessionMessage.srpCommand0(username: Array("wifiprov".utf8), clientKey: key).encoded
  }()
  private static let proofCommand = SessionMessage.srpCommand1(proof: [UInt8](repeating: 9, count: 64)).encoded

  private func command(_ peripheral: CBPeripheral) {
    guard isWanted, let session = characteristics[Self.session] else { return disconnect() }
    if !proves { made.add(1, ordering: .relaxed) }
    peripheral.writeValue(Data(proves ? Self.proofCommand : Self.keyCommand), for: session, type: .withResponse)
  }

  override func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if isEspressif {
      if error == nil, !proves { return peripheral.readValue(for: characteristic) }
      proves = false
      command(peripheral)
    } else if error != nil {
      disconnect()
    }
  }

  // MARK: The secure protocol

  override func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard isWanted, error == nil else { return disconnect() }
    if hello.isEmpty {
      if let information = characteristics[SecureService.information] { peripheral.readValue(for: information) }
    } else {
      guess(peripheral)
    }
  }

  /// The first message of an app with another code, made once.
  private func prepare(_ information: [UInt8], _ peripheral: CBPeripheral) throws {
    let context = AppContext(now: .zero, writeLimit: peripheral.maximumWriteValueLength(for: .withoutResponse))
    let random = SecureRandomness(bytes: { count in
      var generator = SystemRandomNumberGenerator()
      return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    })
    var app = SecureAppMachine(.init(code: try SecureCode(pin: "72519063")), randomness: random)
    app.begin(SecureService.definition, context: context)
    app.handle(.read(SecureService.information, information), context: context)
    app.handle(.subscribed(SecureService.receive), context: context)
    for case .write(_, let value, let withResponse) in app.dequeueActions() { hello.append((value, withResponse)) }
  }

  private func guess(_ peripheral: CBPeripheral) {
    guard let transmit = characteristics[SecureService.transmit] else { return disconnect() }
    made.add(1, ordering: .relaxed)
    for (value, withResponse) in hello {
      peripheral.writeValue(Data(value), for: transmit, type: withResponse ? .withResponse : .withoutResponse)
    }
  }

  override func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if isEspressif {
      if error == nil { computed.add(1, ordering: .relaxed) }
      proves = error == nil
      return command(peripheral)
    }
    let value = [UInt8](characteristic.value ?? Data())
    if characteristic.uuid.uuidString == SecureService.information {
      do {
        if hello.isEmpty { try prepare(value, peripheral) }
        guess(peripheral)
      } catch {
        disconnect()
      }
    } else if value.first.map({ $0 & 0x40 != 0 }) == true {
      // The last value of an answer: the reply is long, an error is short. After either the link has no more to give.
      if value.first.map({ $0 & 0x80 == 0 }) == true { computed.add(1, ordering: .relaxed) }
      disconnect()
    }
  }
}
