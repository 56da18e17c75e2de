import LatchkeyByteCoding

/// Finds a peer's Service Changed and enables its indication (Core 6.0 Vol 3 Part G 7.1): service, characteristic and
/// configuration, with a bounded number of requests, however the peer answers.
struct ServiceChangedConfiguration: GATTClientProcedure {
  /// The most requests: a Generic Attribute service of any real peer accepts four.
  static let mostRequests = 10

  private enum Step: Sendable {
    case service
    case characteristic(AttributeHandleRange)
    case configuration(NotificationConfiguration)
  }

  private var step = Step.service
  private var requests = 0

  /// Finds it.
  init() {}

  /// Enables it where it is known to be.
  init(valueHandle: AttributeHandle, descriptor: AttributeHandle) {
    let characteristic = GATTCharacteristicRecord(
      uuid: AttributeType.serviceChanged, declaration: valueHandle - 1, valueHandle: valueHandle, end: descriptor,
      properties: .indicate)
    step = .configuration(NotificationConfiguration(characteristic, enables: true, descriptor: descriptor))
  }

  /// The value's handle and its configuration's; nil until they are found.
  var found: (valueHandle: AttributeHandle, descriptor: AttributeHandle)? {
    guard case .configuration(let configuration) = step, configuration.descriptor != 0 else { return nil }
    return (configuration.valueHandle, configuration.descriptor)
  }

  var request: ATTOpcode {
    switch step {
    case .service: .findByTypeValueRequest
    case .characteristic: .readByTypeRequest
    case .configuration(let configuration): configuration.request
    }
  }

  mutating func frame(mtu: Int) -> [UInt8] {
    requests += 1
    switch step {
    case .service:
      var value = ByteWriter(capacity: 2)
      AttributeType.genericAttribute.encode(into: &value)
      return ATTFindByTypeValueRequest(range: .all, type: 0x2800, value: value.bytes).frame()
    case .characteristic(let range):
      return ATTReadByTypeRequest(range: range, type: AttributeType.characteristic).frame()
    case .configuration(var configuration):
      defer { step = .configuration(configuration) }
      return configuration.frame(mtu: mtu)
    }
  }

  mutating func receive(_ parameters: ByteReader, mtu: Int) throws(ByteCodingError) -> GATTOutcome? {
    guard requests < Self.mostRequests else { return .failed(.peerMisbehaved) }
    switch step {
    case .service:
      // There is one such service; further groups are ignored.
      guard let range = try ATTFindByTypeValueResponse(whole: parameters).groups.first, range.isValid else {
        throw .invalidValue(field: "service range")
      }
      step = .characteristic(range)
      return nil
    case .characteristic(let range): return try receiveCharacteristics(parameters, in: range)
    case .configuration(var configuration):
      defer { step = .configuration(configuration) }
      return try configuration.receive(parameters, mtu: mtu)
    }
  }

  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome? {
    guard case .configuration(var configuration) = step else { return error.outcome }
    defer { step = .configuration(configuration) }
    return configuration.refused(error)
  }

  private mutating func receiveCharacteristics(
    _ parameters: ByteReader, in range: AttributeHandleRange
  ) throws(ByteCodingError) -> GATTOutcome? {
    let response = try ATTReadByTypeResponse(whole: parameters)
    var entries = response.entries
    let width = response.valueCount - 3
    guard width == 2 || width == 16 else { throw .invalidValue(field: "characteristic declaration length") }
    var changed: GATTCharacteristicRecord?
    var start = range.start
    while !entries.isEmpty {
      let declaration = try entries.uint16("characteristic declaration")
      let properties = GATTProperties(rawValue: try entries.uint8("characteristic properties"))
      let valueHandle = try entries.uint16("characteristic value handle")
      let uuid = try BluetoothUUID(from: &entries, width: width)
      guard declaration >= start, valueHandle > declaration, valueHandle <= range.end else {
        throw .invalidValue(field: "characteristic handles")
      }
      start = declaration + 1
      if var known = changed, known.end == range.end {
        known.end = declaration - 1
        changed = known
      }
      if changed == nil, uuid == AttributeType.serviceChanged {
        changed = GATTCharacteristicRecord(
          uuid: uuid, declaration: declaration, valueHandle: valueHandle, end: range.end, properties: properties)
      }
    }
    let rest = AttributeHandleRange(start, range.end)
    guard let changed else {
      guard rest.isValid else { return .failed(.refused(.attributeNotFound, handle: range.start)) }
      step = .characteristic(rest)
      return nil
    }
    guard changed.properties.contains(.indicate), changed.valueHandle < changed.end else {
      return .failed(.refused(.attributeNotFound, handle: changed.valueHandle))
    }
    step = .configuration(NotificationConfiguration(changed, enables: true, descriptor: 0))
    return nil
  }
}
