import LatchkeyByteCoding

/// Finds a characteristic's Client Characteristic Configuration, unless its handle is known, and writes it (Core 6.0
/// Vol 3 Part G 4.7.1, 4.12.3, 3.3.3.3).
struct NotificationConfiguration: GATTClientProcedure {
  /// The characteristic's value.
  let valueHandle: AttributeHandle
  /// Whether to turn it on or off.
  let enables: Bool
  /// The descriptor; 0 until it is discovered.
  private(set) var descriptor: AttributeHandle
  private let bits: UInt16
  private var search: DescriptorDiscovery

  /// `descriptor` is 0 if it is to be discovered. The characteristic must have a handle for it after the value.
  init(_ characteristic: GATTCharacteristicRecord, enables: Bool, descriptor: AttributeHandle) {
    valueHandle = characteristic.valueHandle
    self.enables = enables
    self.descriptor = descriptor
    // Indications only where notifications are not offered, as Apple's stack does.
    bits = !enables ? 0x0000 : characteristic.properties.contains(.notify) ? 0x0001 : 0x0002
    search = DescriptorDiscovery(range: AttributeHandleRange(characteristic.valueHandle &+ 1, characteristic.end))
  }

  var request: ATTOpcode { descriptor == 0 ? search.request : .writeRequest }

  mutating func frame(mtu: Int) -> [UInt8] {
    guard descriptor != 0 else { return search.frame(mtu: mtu) }
    var value = ByteWriter(capacity: 2)
    value.uint16(bits)
    return ATTWriteRequest(handle: descriptor, value: value.bytes).frame()
  }

  mutating func receive(_ parameters: ByteReader, mtu: Int) throws(ByteCodingError) -> GATTOutcome? {
    guard descriptor == 0 else { return .written }
    let outcome = try search.receive(parameters, mtu: mtu)
    return found(isEnd: outcome != nil)
  }

  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome? {
    guard descriptor == 0, error.code == .attributeNotFound else { return error.outcome }
    return found(isEnd: true)
  }

  private mutating func found(isEnd: Bool) -> GATTOutcome? {
    if let record = search.descriptors.first(where: { $0.uuid == AttributeType.clientConfiguration }) {
      descriptor = record.handle
      return nil
    }
    return isEnd ? .failed(.refused(.attributeNotFound, handle: valueHandle)) : nil
  }
}
