package import CoreBluetooth
import Foundation
import LatchkeyBluetoothTransports

// Values for subscribers.
extension DefinitionServer {
  /// Sends a value to the subscribers of a characteristic, after those that wait.
  ///
  /// - Returns: whether anybody is subscribed.
  @discardableResult
  func send(_ value: Data, of index: Int) -> Bool {
    guard let manager, manager.state == .poweredOn, characteristics[index].hasSubscriber else { return false }
    let isTaken =
      updates.isEmpty
      && manager.updateValue(value, for: characteristics[index].object, onSubscribedCentrals: nil)
    if !isTaken { updates.append(value, of: index) }
    return true
  }

  package func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    let characteristics = characteristics
    updates.drain { update in
      let characteristic = characteristics[update.characteristic]
      // Who has unsubscribed meanwhile misses it.
      return !characteristic.hasSubscriber
        || peripheral.updateValue(update.value, for: characteristic.object, onSubscribedCentrals: nil)
    }
  }

  package func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    guard let index = index(of: characteristic) else { return }
    emit(.subscribed(characteristic.uuid, by: central.identifier))
    _ = ask(.subscription(index, isOn: true))
    sendDue()
    if characteristics[index].timer == nil { armTimer(index) }
  }

  package func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    guard let index = index(of: characteristic) else { return }
    emit(.unsubscribed(characteristic.uuid, by: central.identifier))
    guard !characteristics[index].hasSubscriber else { return }
    stopTimer(index)
    _ = ask(.subscription(index, isOn: false))
    sendDue()
  }

  private func armTimer(_ index: Int) {
    guard case .notifyEvery(let interval, _) = characteristics[index].definition.behavior else { return }
    characteristics[index].timerNumber += 1
    let number = characteristics[index].timerNumber
    characteristics[index].timer = makeTimer(interval) { $0.timerFired(index, number) }
  }

  private func stopTimer(_ index: Int) {
    characteristics[index].timer?.cancel()
    characteristics[index].timer = nil
  }

  private func timerFired(_ index: Int, _ number: Int) {
    guard characteristics[index].timer != nil, characteristics[index].timerNumber == number else { return }
    characteristics[index].timer = nil
    guard characteristics[index].hasSubscriber, let value = characteristics[index].nextValue() else { return }
    // A device that cannot send a measurement skips it.
    if updates.isEmpty { send(value, of: index) }
    armTimer(index)
  }
}
