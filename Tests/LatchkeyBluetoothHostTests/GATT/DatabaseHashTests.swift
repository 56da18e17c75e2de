import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("The hash of a database") struct DatabaseHashTests {
  private let owner = ClientID(1)

  /// The example of Core 6.0 Vol 3 Part G Appendix B.
  private static var example: GATTDatabase {
    func characteristic(
      _ uuid: BluetoothUUID, _ properties: UInt8, _ descriptors: [GATTDescriptorDefinition] = []
    ) -> GATTCharacteristicDefinition {
      GATTCharacteristicDefinition(
        uuid: uuid, properties: GATTProperties(rawValue: properties), permissions: .readable, descriptors: descriptors)
    }
    var database = GATTDatabase()
    func place(_ definition: GATTServiceDefinition, _ start: AttributeHandle) {
      _ = database.place(definition, at: start, owner: nil)
    }
    place(
      GATTServiceDefinition(
        uuid: 0x1800, characteristics: [characteristic(0x2A00, 0x0A), characteristic(0x2A01, 0x02)]),
      1)
    place(
      GATTServiceDefinition(
        uuid: 0x1801,
        characteristics: [characteristic(0x2A05, 0x20), characteristic(0x2B29, 0x0A), characteristic(0x2B2A, 0x02)]), 6)
    place(
      GATTServiceDefinition(uuid: 0x180F, isPrimary: false, characteristics: [characteristic(0x2A19, 0x02)]), 0x14)
    place(
      GATTServiceDefinition(
        uuid: 0x1808, includedServices: [0x14],
        characteristics: [
          characteristic(0x2A18, 0xA2, [GATTDescriptorDefinition(uuid: 0x2900, value: [0, 0])])
        ]), 0x0E)
    database.updateHash()
    return database
  }

  @Test("is that of the specification's example, least significant byte first") func example() throws {
    let message = try Hexadecimal.decode(
      "010000280018020003280A0300002A04000328020500012A06000028011807000328200800052A090002290A0003280A0B00292B"
        + "0C000328020D002A2B0E00002808180F000228140016000F1810000328A21100182A1200022913000029"
        + "0000140001280F1815000328021600192A")
    #expect(Self.example.hashedBytes == message)
    #expect(
      Self.example.hash.bytes.reversed() == [
        0xF1, 0xCA, 0x2D, 0x48, 0xEC, 0xF5, 0x8B, 0xAC, 0x8A, 0x88, 0x30, 0xBB, 0xB9, 0xFB, 0xA9, 0x90,
      ])
  }

  private func service(
    _ uuid: BluetoothUUID = 0x180F, _ properties: GATTProperties = .read, value: [UInt8]? = nil,
    _ descriptors: [GATTDescriptorDefinition] = []
  ) -> GATTServiceDefinition {
    GATTServiceDefinition(
      uuid: uuid,
      characteristics: [
        GATTCharacteristicDefinition(
          uuid: 0x2A19, properties: properties, permissions: .readable, staticValue: value, descriptors: descriptors)
      ])
  }

  private func hash(_ definitions: [GATTServiceDefinition]) throws -> DatabaseHash {
    var database = GATTDatabase(deviceName: "Lamp", appearance: 0)
    for definition in definitions { _ = try database.add(definition, owner: owner) }
    return database.hash
  }

  @Test("differs with services, their order, properties, descriptors and extended properties") func covered() throws {
    let hashes = try [
      [], [service()], [service(), service()], [service(0x1810)], [service(), service(0x1810)],
      [service(0x1810), service()], [service(0x180F, [.read, .notify])],
      [service(0x180F, .read, [GATTDescriptorDefinition(uuid: 0x2901, value: [])])],
      [service(0x180F, .read, [GATTDescriptorDefinition(uuid: 0x2904, value: [])])],
      [service(0x180F, .read, [GATTDescriptorDefinition(uuid: 0x2900, value: [0, 0])])],
      [service(0x180F, .read, [GATTDescriptorDefinition(uuid: 0x2900, value: [1, 0])])],
      [GATTServiceDefinition(uuid: 0x180F, isPrimary: false)], [GATTServiceDefinition(uuid: 0x180F)],
    ].map { try hash($0) }
    #expect(Set(hashes).count == hashes.count)
  }

  @Test("is the same for other values, names and descriptors of unknown kinds") func notCovered() throws {
    #expect(try hash([service(value: [1])]) == hash([service(value: [2, 3])]))
    #expect(try hash([service()]) == hash([service(value: [1])]))
    let texts = try ["a", "b"].map { text in
      try hash([service(0x180F, .read, [GATTDescriptorDefinition(uuid: 0x2901, value: Array(text.utf8))])])
    }
    #expect(texts[0] == texts[1])
    // A descriptor of an app takes a handle, and no more.
    #expect(
      try hash([service(0x180F, .read, [GATTDescriptorDefinition(uuid: 0xFFD1, value: [1])])]) == hash([service()]))
    var database = GATTDatabase(deviceName: "Lamp", appearance: 1)
    database.setDeviceName("Another")
    #expect(try database.hash == hash([]))
  }

  @Test("changes with each change, returns with what was there before, and is what peers read") func changes() throws {
    var database = GATTDatabase(deviceName: "Lamp", appearance: 0)
    let before = database.hash
    let first = try database.add(service(), owner: owner)
    let one = database.hash
    let second = try database.add(service(), owner: owner)
    #expect(Set([before, one, database.hash]).count == 3)
    guard case .fixed(let value)? = database.attribute(13)?.content else {
      Issue.record("no value of the hash")
      return
    }
    #expect(value == database.hash.bytes)
    // What is refused changes nothing.
    let both = database.hash
    #expect(throws: GATTDatabaseError.self) {
      try database.add(service(value: [UInt8](repeating: 0, count: 513)), owner: owner)
    }
    _ = database.remove(first.range, owner: ClientID(2))
    #expect(database.hash == both)
    _ = database.remove(second.range, owner: owner)
    #expect(database.hash == one)
    _ = database.remove(first.range, owner: owner)
    #expect(database.hash == before)
  }

  @Test("has 16 bytes") func length() {
    for count in [0, 1, 15, 17, 32] { #expect(DatabaseHash([UInt8](repeating: 0, count: count)) == nil) }
    #expect(DatabaseHash([UInt8](repeating: 0, count: 16)) != nil)
  }
}
