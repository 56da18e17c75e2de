import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite struct GATTDatabaseTests {
  private let owner = ClientID(1)
  private func service(_ count: Int) -> GATTServiceDefinition {
    GATTServiceDefinition(
      uuid: 0x180F,
      characteristics: [GATTCharacteristicDefinition](
        repeating: GATTCharacteristicDefinition(uuid: 0x2A19, properties: .read, permissions: .readable), count: count))
  }

  @Test("Every server has two services") func everyServerHasTwoServices() {
    let database = GATTDatabase(deviceName: "Lamp", appearance: 0x0102)
    #expect(database.services.map(\.uuid) == [0x1800, 0x1801])
    #expect(database.attribute(3).map(value) == Array("Lamp".utf8))
    #expect(database.attribute(5).map(value) == [0x02, 0x01])
    #expect(database.serviceChangedHandle == 8)
    #expect(database.attribute(0) == nil)
    #expect(database.attribute(9)?.type == 0x2902)
    #expect((10...15).map { database.attribute($0)?.type } == [0x2803, 0x2B29, 0x2803, 0x2B2A, 0x2803, 0x2B3A])
    #expect(database.attribute(13).map(value) == database.hash.bytes)
    #expect(database.attribute(15).map(value) == [0])
    #expect(database.attribute(16) == nil)
    #expect(database.attribute(0xFFFF) == nil)
  }

  @Test("The device name is cut between characters") func theNameIsCutBetweenCharacters() {
    var database = GATTDatabase(deviceName: String(repeating: "灯", count: 100), appearance: 0)
    #expect(database.attribute(3).map(value)?.count == 246)
    database.setDeviceName("Lampe")
    #expect(database.attribute(3).map(value) == Array("Lampe".utf8))
  }

  @Test("A service is laid out as specified") func layout() throws {
    var database = GATTDatabase(deviceName: "", appearance: 0)
    let first = try database.add(
      GATTServiceDefinition(
        uuid: 0x180F,
        characteristics: [
          GATTCharacteristicDefinition(
            uuid: 0x2A19, properties: [.read, .notify], permissions: .readable,
            descriptors: [GATTDescriptorDefinition(uuid: 0x2901, value: [1])]),
          GATTCharacteristicDefinition(uuid: 0x2A1A, properties: .read, permissions: .readable),
        ]), owner: owner)
    #expect(first.range == AttributeHandleRange(16, 22))
    #expect(first.valueHandles == [18, 22])
    let types = (16...22).map { database.attribute($0)?.type }
    #expect(types == [0x2800, 0x2803, 0x2A19, 0x2902, 0x2901, 0x2803, 0x2A1A])
    #expect((16...22).map { database.attribute($0)?.groupEnd } == [22, 20, 18, 19, 20, 22, 22])
    #expect((16...22).allSatisfy { database.attribute($0)?.owner == owner })
    let second = try database.add(
      GATTServiceDefinition(uuid: 0x1810, isPrimary: false, includedServices: [16]), owner: owner)
    #expect(second.range == AttributeHandleRange(23, 24))
    #expect(database.attribute(24).map(value) == [16, 0, 22, 0, 0x0F, 0x18])
  }

  @Test("Removed services leave no attributes") func removedServicesLeaveNothing() throws {
    var database = GATTDatabase(deviceName: "", appearance: 0)
    let first = try database.add(service(1), owner: owner).range
    let second = try database.add(service(2), owner: ClientID(2)).range
    let third = try database.add(service(1), owner: owner).range
    #expect(database.services(of: owner) == [first, third])
    for range in [second, AttributeHandleRange(1, 5), AttributeHandleRange(first.start, second.end)] {
      let wasRemoved = database.remove(range, owner: owner)
      #expect(!wasRemoved)
    }
    let wasRemoved = database.remove(second, owner: ClientID(2))
    #expect(wasRemoved)
    #expect((second.start...second.end).allSatisfy { database.attribute($0) == nil })
    #expect(database.attribute(third.start) != nil)
    // The gap is left alone while handles are free after the last one.
    #expect(try database.add(service(1), owner: owner).range.start == third.end + 1)
  }

  @Test("Handles run out, and gaps are reused") func handlesRunOutAndGapsAreUsed() throws {
    var database = GATTDatabase(deviceName: "", appearance: 0)
    let gap = try database.add(service(3), owner: owner).range
    let last = try database.add(service((0xFFFF - Int(gap.end) - 1) / 2), owner: owner).range
    #expect(last.end >= 0xFFFE)
    #expect(throws: GATTDatabaseError.noHandlesLeft) { try database.add(service(1), owner: owner) }
    #expect(throws: GATTDatabaseError.noHandlesLeft) { try database.add(service(70_000), owner: owner) }
    let wasRemoved = database.remove(gap, owner: owner)
    #expect(wasRemoved)
    #expect(throws: GATTDatabaseError.noHandlesLeft) { try database.add(service(4), owner: owner) }
    #expect(try database.add(service(2), owner: owner).range == AttributeHandleRange(gap.start, gap.start + 4))
    #expect(database.services.map(\.range.start) == database.services.map(\.range.start).sorted())
  }

  @Test("Refused definitions add nothing") func definitionsThatAreRefusedAddNothing() throws {
    var database = GATTDatabase(deviceName: "", appearance: 0)
    let count = database.attributes.count
    func add(_ characteristic: GATTCharacteristicDefinition) throws {
      _ = try database.add(GATTServiceDefinition(uuid: 0x180F, characteristics: [characteristic]), owner: owner)
    }
    let long = [UInt8](repeating: 0, count: 513)
    #expect(throws: GATTDatabaseError.unknownIncludedService(2)) {
      try database.add(GATTServiceDefinition(uuid: 0x180F, includedServices: [1, 2]), owner: owner)
    }
    #expect(throws: GATTDatabaseError.valueTooLong(0x2A19)) {
      try add(GATTCharacteristicDefinition(uuid: 0x2A19, properties: .read, permissions: .readable, staticValue: long))
    }
    for (properties, permissions) in [
      (.read, .writeable), (.read, .writeEncryptionRequired), (.write, .readable), (.writeWithoutResponse, .readable),
      ([.read, .notify], .readable), ([.read, .indicate], .readable), (.authenticatedSignedWrites, .readable),
    ] as [(GATTProperties, GATTPermissions)] {
      #expect(throws: GATTDatabaseError.fixedValueNotReadOnly(0x2A19)) {
        try add(
          GATTCharacteristicDefinition(uuid: 0x2A19, properties: properties, permissions: permissions, staticValue: [1])
        )
      }
    }
    for uuid: BluetoothUUID in [0x2902, 0x2803, 0x2802, 0x2801, 0x2800] {
      #expect(throws: GATTDatabaseError.reservedDescriptor(uuid)) {
        try add(
          GATTCharacteristicDefinition(
            uuid: 0x2A19, properties: .read, permissions: .readable,
            descriptors: [GATTDescriptorDefinition(uuid: uuid, value: [])]))
      }
    }
    #expect(throws: GATTDatabaseError.valueTooLong(0x2901)) {
      try add(
        GATTCharacteristicDefinition(
          uuid: 0x2A19, properties: .read, permissions: .readable,
          descriptors: [GATTDescriptorDefinition(uuid: 0x2901, value: long)]))
    }
    #expect(database.attributes.count == count)
  }

  private func value(_ attribute: GATTAttribute) -> [UInt8] {
    guard case .fixed(let value) = attribute.content else { return [] }
    return value
  }
}
