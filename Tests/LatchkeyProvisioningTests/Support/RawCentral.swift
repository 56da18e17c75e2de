import CoreBluetooth
import Foundation

/// A central that writes what a test wants: frames in pieces, noise, keys of no curve.
///
/// Unchecked: all of its state belongs to `queue`.
final class RawCentral: NSObject, @unchecked Sendable {
  /// The notified values, in order.
  let values: AsyncStream<[UInt8]>
  private(set) var isConnected = false

  private let queue = DispatchQueue(label: "test.central")
  private let continuation: AsyncStream<[UInt8]>.Continuation
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private var request: CBCharacteristic?
  private var answer: CBCharacteristic?
  private let service: CBUUID
  private let subscribes: Bool
  private var isReading = false
  private var notified: [[UInt8]] = []
  private var waiting: CheckedContinuation<(CBATTError.Code, [UInt8]), Never>?

  /// A central that will look for `service`.
  init(service: String = "F200", subscribes: Bool = true) {
    self.service = CBUUID(string: service)
    self.subscribes = subscribes
    (values, continuation) = AsyncStream<[UInt8]>.makeStream()
  }

  /// Connects, discovers and, if it is to, subscribes.
  func connect(_ options: [String: any Sendable]) async {
    _ = await wait { [self] in manager = CBCentralManager(delegate: self, queue: queue, options: options) }
  }

  /// Writes one value with response: the code that came back.
  func write(_ value: [UInt8]) async -> CBATTError.Code {
    await wait { [self] in
      guard let request else { return }
      peripheral?.writeValue(Data(value), for: request, type: .withResponse)
    }.0
  }

  /// Writes values without response, as fast as the link accepts them.
  func command(_ values: [[UInt8]]) async {
    var rest = values[...]
    while !rest.isEmpty {
      let piece = rest.prefix(8)
      rest = rest.dropFirst(8)
      queue.sync {
        guard let request else { return }
        for value in piece { peripheral?.writeValue(Data(value), for: request, type: .withoutResponse) }
      }
      // An answered request behind the commands: the peer has then received them.
      _ = await read()
    }
  }

  /// Reads the answer characteristic.
  func read() async -> (CBATTError.Code, [UInt8]) {
    await wait { [self] in
      isReading = true
      if let answer { peripheral?.readValue(for: answer) }
    }
  }

  /// How many bytes of a value fit one PDU.
  var limit: Int { queue.sync { peripheral?.maximumWriteValueLength(for: .withoutResponse) ?? 0 } }

  /// All that was notified so far.
  var allValues: [[UInt8]] { queue.sync { notified } }

  func disconnect() async {
    _ = await wait { [self] in
      guard let peripheral, isConnected else { return finish(.success) }
      manager?.cancelPeripheralConnection(peripheral)
    }
    queue.sync {
      manager?.delegate = nil
      manager = nil
      peripheral = nil
    }
  }

  private func wait(_ body: @escaping @Sendable () -> Void) async -> (CBATTError.Code, [UInt8]) {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        waiting = continuation
        body()
      }
    }
  }

  private func finish(_ code: CBATTError.Code, _ value: [UInt8] = []) {
    waiting?.resume(returning: (code, value))
    waiting = nil
  }

  private static func code(_ error: (any Error)?) -> CBATTError.Code {
    guard let error else { return .success }
    return (error as? CBATTError)?.code ?? .unlikelyError
  }
}

extension RawCentral: CBCentralManagerDelegate, CBPeripheralDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [service], options: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard self.peripheral == nil else { return }
    self.peripheral = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral, options: nil)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    isConnected = true
    peripheral.discoverServices([service])
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    isConnected = false
    finish(.success)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    request = service.characteristics?.first { $0.properties.contains(.write) }
    answer = service.characteristics?.first { $0.properties.contains(.read) }
    guard subscribes, let answer else { return finish(.success) }
    peripheral.setNotifyValue(true, for: answer)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    finish(Self.code(error))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let value = [UInt8](characteristic.value ?? Data())
    guard isReading else {
      notified.append(value)
      continuation.yield(value)
      return
    }
    isReading = false
    finish(Self.code(error), value)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    finish(Self.code(error))
  }
}
