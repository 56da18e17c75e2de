import CoreBluetooth
import Synchronization

/// The peripheral's side, on a queue of its own: counts the requests to its delegate, and the bytes of a channel. Unchecked: the
/// queue alone changes `added`, and the counts are atomic.
final class Peripheral: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  private let manager: CBPeripheralManager
  private let services = Database.services()
  private var added = 0
  private let bytes = Atomic<Int>(0)
  private let reads = Atomic<Int>(0)
  private let number = Atomic<UInt16>(0)
  private let value = Data((0..<244).map { UInt8($0) })

  /// Bytes of Write Commands that the delegate has received, or of the channel.
  var receivedBytes: Int { bytes.load(ordering: .acquiring) }
  /// The number under which the channel is published.
  var psm: CBL2CAPPSM { number.load(ordering: .acquiring) }
  /// Reads that the delegate has answered.
  var answeredReads: Int { reads.load(ordering: .acquiring) }

  init(at controller: String) {
    manager = CBPeripheralManager(
      delegate: nil, queue: DispatchQueue(label: "peripheral"),
      options: [CBManagerOptionControllerKey: controller])
    super.init()
    manager.delegate = self
    if manager.state == .poweredOn { peripheralManagerDidUpdateState(manager) }
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn, added == 0 else { return }
    peripheral.publishL2CAPChannel(withEncryption: false)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    number.store(PSM, ordering: .releasing)
    for service in services { peripheral.add(service) }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    guard let channel else { return }
    let receiver = ChannelReceiver(channel: channel)
    Thread.detachNewThread { [self] in receiver.receive { bytes.add($0, ordering: .releasing) } }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    added += 1
    guard added == Database.serviceCount else { return }
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: Database.name])
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    pour()
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { pour() }

  /// Notifies while the link accepts it.
  private func pour() {
    guard let target = services.first?.characteristics?.last as? CBMutableCharacteristic else { return }
    while manager.updateValue(value, for: target, onSubscribedCentrals: nil) {}
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    for request in requests { bytes.add(request.value?.count ?? 0, ordering: .releasing) }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    let count = reads.add(1, ordering: .releasing).newValue
    request.value = withUnsafeBytes(of: UInt64(count).littleEndian) { Data($0) }
    peripheral.respond(to: request, withResult: .success)
  }
}
