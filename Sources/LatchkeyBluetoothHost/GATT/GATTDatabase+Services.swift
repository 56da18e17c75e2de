import LatchkeyByteCoding

/// Adding and removing services.
extension GATTDatabase {
  /// Adds a service; the owner is asked for its dynamic values.
  package mutating func add(
    _ definition: GATTServiceDefinition, owner: ClientID
  ) throws(GATTDatabaseError) -> GATTServicePlacement {
    try validate(definition)
    guard let start = freeHandles(definition.attributeCount) else { throw .noHandlesLeft }
    additions += 1
    defer { updateHash() }
    return place(definition, at: start, owner: owner)
  }

  /// Removes the service of this range if `owner` owns it; returns whether it did. A service that includes it retains
  /// its declaration: the attributes of a published service never change.
  package mutating func remove(_ range: AttributeHandleRange, owner: ClientID) -> Bool {
    guard let index = services.firstIndex(where: { $0.range == range && $0.owner == owner }) else { return false }
    services.remove(at: index)
    for handle in Int(range.start)...Int(range.end) { attributes[handle] = .vacant }
    while attributes.count > 1, attributes.last?.isVacant == true { attributes.removeLast() }
    updateHash()
    return true
  }

  /// The services of an owner, in the order of their handles.
  package func services(of owner: ClientID) -> [AttributeHandleRange] {
    services.filter { $0.owner == owner }.map(\.range)
  }

  /// Whether a client has services here.
  func hasServices(of owner: ClientID) -> Bool { services.contains { $0.owner == owner } }

  /// The Client Characteristic Configuration of a value, with the properties that it is for; nil if there is none.
  func configuration(of valueHandle: AttributeHandle) -> (attribute: GATTAttribute, properties: GATTProperties)? {
    // It follows its value (`ServiceLayout`).
    guard valueHandle < .max, let attribute = attribute(valueHandle + 1),
      case .configuration(valueHandle, let properties) = attribute.content
    else { return nil }
    return (attribute, properties)
  }

  private func validate(_ definition: GATTServiceDefinition) throws(GATTDatabaseError) {
    for handle in definition.includedServices where !services.contains(where: { $0.range.start == handle }) {
      throw .unknownIncludedService(handle)
    }
    for characteristic in definition.characteristics {
      if let value = characteristic.staticValue {
        guard value.count <= ATTLimits.longestValue else { throw .valueTooLong(characteristic.uuid) }
        guard characteristic.isReadOnly else { throw .fixedValueNotReadOnly(characteristic.uuid) }
      }
      for descriptor in characteristic.descriptors {
        guard !descriptor.isReserved else { throw .reservedDescriptor(descriptor.uuid) }
        guard descriptor.value.count <= ATTLimits.longestValue else { throw .valueTooLong(descriptor.uuid) }
      }
    }
  }

  /// The start of `count` consecutive free handles: after the last attribute, else in the first gap that is wide
  /// enough.
  private func freeHandles(_ count: Int) -> AttributeHandle? {
    if attributes.count + count <= 0x1_0000 { return AttributeHandle(attributes.count) }
    var start = 1
    for service in services {
      if Int(service.range.start) - start >= count { return AttributeHandle(start) }
      start = Int(service.range.end) + 1
    }
    return nil
  }

  /// Lays out a validated definition from `start` on, where enough handles are free.
  mutating func place(
    _ definition: GATTServiceDefinition, at start: AttributeHandle, owner: ClientID?
  ) -> GATTServicePlacement {
    let end = Int(start) + definition.attributeCount - 1
    var layout = ServiceLayout(start: Int(start), end: AttributeHandle(end), owner: owner)
    layout.declare(
      definition,
      included: definition.includedServices.compactMap { handle in
        services.first { $0.range.start == handle }
      })
    while attributes.count <= end { attributes.append(.vacant) }
    attributes.replaceSubrange(Int(start)...end, with: layout.attributes)
    let range = AttributeHandleRange(start, AttributeHandle(end))
    let service = Service(
      uuid: definition.uuid, range: range, isPrimary: definition.isPrimary, owner: owner,
      isGuarded: layout.attributes.contains { !$0.permissions.isDisjoint(with: .guarded) })
    services.insert(service, at: services.firstIndex { $0.range.start > start } ?? services.endIndex)
    return GATTServicePlacement(range: range, valueHandles: layout.valueHandles, addition: additions)
  }
}

/// The attributes of one service in the order of Core 6.0 Vol 3 Part G 3: declaration, includes, characteristics, each
/// with its value, its configuration and its other descriptors.
private struct ServiceLayout {
  let start: Int
  let end: AttributeHandle
  let owner: ClientID?
  var attributes: [GATTAttribute] = []
  var valueHandles: [AttributeHandle] = []

  init(start: Int, end: AttributeHandle, owner: ClientID?) {
    self.start = start
    self.end = end
    self.owner = owner
  }

  private var next: AttributeHandle { AttributeHandle(truncatingIfNeeded: start + attributes.count) }

  private mutating func append(
    _ type: BluetoothUUID, _ permissions: GATTPermissions, _ content: GATTAttribute.Content,
    groupEnd: AttributeHandle? = nil
  ) {
    attributes.append(
      GATTAttribute(type: type, permissions: permissions, content: content, owner: owner, groupEnd: groupEnd ?? next))
  }

  mutating func declare(_ definition: GATTServiceDefinition, included: [GATTDatabase.Service]) {
    var declaration = ByteWriter(capacity: 16)
    definition.uuid.encode(into: &declaration)
    append(
      definition.isPrimary ? AttributeType.primaryService : AttributeType.secondaryService, .readable,
      .fixed(declaration.bytes), groupEnd: end)
    for service in included {
      var include = ByteWriter(capacity: 6)
      service.range.encode(into: &include)
      // Part G 3.2: the UUID is present only if it has 16 bits.
      if let short = service.uuid.short { include.uint16(short) }
      append(AttributeType.include, .readable, .fixed(include.bytes))
    }
    for characteristic in definition.characteristics { declare(characteristic) }
  }

  private mutating func declare(_ characteristic: GATTCharacteristicDefinition) {
    let valueHandle = next + 1
    var declaration = ByteWriter(capacity: 19)
    declaration.uint8(characteristic.properties.rawValue)
    declaration.uint16(valueHandle)
    characteristic.uuid.encode(into: &declaration)
    append(
      AttributeType.characteristic, .readable, .fixed(declaration.bytes),
      groupEnd: next + AttributeHandle(truncatingIfNeeded: characteristic.attributeCount - 1))
    append(
      characteristic.uuid, characteristic.permissions, characteristic.staticValue.map { .fixed($0) } ?? .dynamic)
    valueHandles.append(valueHandle)
    if characteristic.isConfigurable {
      append(
        AttributeType.clientConfiguration,
        [.readable, characteristic.needsEncryptionToSubscribe ? .writeEncryptionRequired : .writeable],
        .configuration(valueHandle: valueHandle, properties: characteristic.properties))
      attributes[attributes.count - 1].asksOwner = characteristic.asksToSubscribe
    }
    for descriptor in characteristic.descriptors { append(descriptor.uuid, .readable, .fixed(descriptor.value)) }
  }
}

extension GATTServiceDefinition {
  /// The number of handles that the service needs.
  fileprivate var attributeCount: Int {
    characteristics.reduce(1 + includedServices.count) { $0 + $1.attributeCount }
  }
}

extension GATTCharacteristicDefinition {
  fileprivate var isConfigurable: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }

  fileprivate var attributeCount: Int { 2 + (isConfigurable ? 1 : 0) + descriptors.count }

  fileprivate var isReadOnly: Bool {
    permissions.isDisjoint(with: .writing)
      && properties.isDisjoint(with: [
        .write, .writeWithoutResponse, .notify, .indicate, .authenticatedSignedWrites,
      ])
  }
}

extension GATTDescriptorDefinition {
  fileprivate var isReserved: Bool {
    uuid == AttributeType.clientConfiguration || uuid == AttributeType.characteristic || uuid == AttributeType.include
      || uuid == AttributeType.primaryService || uuid == AttributeType.secondaryService
  }
}
