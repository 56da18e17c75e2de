import CoreBluetooth
import Foundation
import LatchkeyBluetoothTransports

/// A characteristic that a `DefinitionServer` serves, and its state.
struct ServedCharacteristic {
  let definition: DeviceDefinition.Characteristic
  let service: CBUUID
  /// The published object, which has no value of its own: each access goes to the server.
  let object: CBMutableCharacteristic
  /// The current value.
  var value: Data
  /// How many values of a sequence were read.
  private var reads = 0
  /// How many values of an interval were sent.
  private var sent = 0
  /// The timer of `notifyEvery`, while somebody is subscribed.
  var timer: (any ScheduledTimer)?
  /// Numbers the timers: one that is canceled may fire all the same.
  var timerNumber = 0
  /// The records of `recordAccess` that were not deleted.
  var records: [Data] = []

  init(_ definition: DeviceDefinition.Characteristic, in service: CBUUID) {
    self.definition = definition
    self.service = service
    value = definition.value
    object = CBMutableCharacteristic(
      type: definition.uuid, properties: definition.properties, value: nil, permissions: definition.permissions)
    object.asksToSubscribe = definition.isSubscribable
    if !definition.descriptors.isEmpty {
      object.descriptors = definition.descriptors.map {
        CBMutableDescriptor(type: $0.uuid, value: DefinedDescriptorValue([UInt8]($0.value)))
      }
    }
    if case .recordAccess(_, let records) = definition.behavior { self.records = records }
  }

  /// Whether a central is subscribed.
  var hasSubscriber: Bool { !(object.subscribedCentrals ?? []).isEmpty }

  /// The value for a read. One that begins takes the next value of a sequence; a later part belongs to the same value.
  mutating func read(offset: Int) -> Data {
    guard offset == 0, case .sequence(let values, let repeats) = definition.behavior else { return value }
    value = values[repeats ? reads % values.count : min(reads, values.count - 1)]
    reads += 1
    return value
  }

  /// The next value of `notifyEvery`.
  mutating func nextValue() -> Data? {
    guard case .notifyEvery(_, let values) = definition.behavior else { return nil }
    value = values[sent % values.count]
    sent += 1
    return value
  }
}
