import LatchkeyByteCoding

/// Finds the services that a service includes (Core 6.0 Vol 3 Part G 4.5.1).
///
/// A declaration omits a 128-bit UUID, which is read from the included service's own declaration. It also does not
/// contain whether that service is primary; the type of its declaration does.
struct IncludedServiceDiscovery: GATTClientProcedure {
  private enum Step { case find, uuid, kind }

  private let range: AttributeHandleRange
  private var start: AttributeHandle
  private var step = Step.find
  private var services: [GATTServiceRecord] = []
  /// Whether each service's UUID is still to be read.
  private var lacksUUID: [Bool] = []
  /// The current service, once all declarations are found.
  private var index = 0

  init(range: AttributeHandleRange) {
    self.range = range
    start = range.start
  }

  var request: ATTOpcode {
    switch step {
    case .find: .readByTypeRequest
    case .uuid: .readRequest
    case .kind: .findInformationRequest
    }
  }

  private var declaration: AttributeHandle { services[index].range.start }

  mutating func frame(mtu: Int) -> [UInt8] {
    switch step {
    case .find:
      ATTReadByTypeRequest(range: AttributeHandleRange(start, range.end), type: AttributeType.include).frame()
    case .uuid: ATTReadRequest(handle: declaration).frame()
    case .kind: ATTFindInformationRequest(range: AttributeHandleRange(declaration, declaration)).frame()
    }
  }

  mutating func receive(_ parameters: ByteReader, mtu: Int) throws(ByteCodingError) -> GATTOutcome? {
    switch step {
    case .find: return try found(ATTReadByTypeResponse(whole: parameters))
    case .uuid:
      var parameters = parameters
      services[index].uuid = try BluetoothUUID(from: &parameters, width: 16)
      try parameters.finish("service declaration")
      step = .kind
      return nil
    case .kind:
      let types = try ATTFindInformationResponse(whole: parameters).entries
      services[index].isPrimary = types.first?.type != AttributeType.secondaryService
      return next(index + 1)
    }
  }

  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome? {
    switch step {
    case .find: error.code == .attributeNotFound ? next(0) : error.outcome
    case .uuid: error.outcome
    // Most services are primary; an unreadable declaration is no reason to fail.
    case .kind: next(index + 1)
    }
  }

  private mutating func found(_ response: ATTReadByTypeResponse) throws(ByteCodingError) -> GATTOutcome? {
    var entries = response.entries
    guard response.valueCount == 4 || response.valueCount == 6 else { throw .invalidValue(field: "include length") }
    while !entries.isEmpty {
      let handle = try entries.uint16("include handle")
      let included = try AttributeHandleRange(from: &entries)
      guard handle >= start, handle <= range.end, included.isValid else { throw .invalidValue(field: "include") }
      let uuid: BluetoothUUID? =
        response.valueCount == 6 ? try BluetoothUUID(from: &entries, width: 2) : nil
      services.append(GATTServiceRecord(uuid: uuid ?? BluetoothUUID(0 as UInt16), range: included))
      lacksUUID.append(uuid == nil)
      if handle == range.end { return next(0) }
      start = handle + 1
    }
    return nil
  }

  private mutating func next(_ index: Int) -> GATTOutcome? {
    guard index < services.count else { return .includedServices(services) }
    self.index = index
    step = lacksUUID[index] ? .uuid : .kind
    return nil
  }
}
