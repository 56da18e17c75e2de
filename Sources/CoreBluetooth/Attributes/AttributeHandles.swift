import LatchkeyBluetoothHost

// Handles of discovered attributes, by which tools tell apart what has the same UUID. Apple's API has none.

extension CBService {
  /// The handle of the declaration; nil for a service of this host.
  package var handle: UInt16? { remote?.record.range.start }
}

extension CBCharacteristic {
  /// The handle of the value; nil for a characteristic of this host.
  package var handle: UInt16? { remote?.record.valueHandle }
}

extension CBDescriptor {
  /// The handle; nil for a descriptor of this host.
  package var handle: UInt16? { remote?.record.handle }
}
