import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A file of bonds") struct StoredBondsTests {
  private static func bond(_ number: UInt64, full: Bool = true) throws -> Bond {
    var bond = Bond(identity: .staticRandom(number), isPersistent: true)
    let key = try #require(SecurityKey((1...16).map { UInt8($0) &+ UInt8(truncatingIfNeeded: number) }))
    bond.keyAsCentral = LongTermKey(
      key: key.masked(toSize: 7), size: 7, isAuthenticated: true, isSecureConnections: false,
      encryptedDiversifier: 0x1234, randomNumber: 0x0102_0304_0506_0708)
    guard full else { return bond }
    bond.keyAsPeripheral = LongTermKey(key: key, size: 16, isAuthenticated: false, isSecureConnections: true)
    (bond.peerResolvingKey, bond.peerSigningKey, bond.localSigningKey) = (key, key, key)
    bond.localIdentity = PairingIdentity(address: BluetoothAddress(7, kind: .public), resolvingKey: key)
    bond.client = client
    bond.knownAddress = BluetoothAddress(0x4000_0000_0008, kind: .random)
    return bond
  }

  private static var client: BondedClient {
    var client = BondedClient()
    client.features = 3
    client.knownHash = DatabaseHash(Array(1...16))
    client.informedHash = DatabaseHash(Array(2...17))
    client.configurations = [
      .init(valueHandle: 0x0102, uuid: 0x2A19, bits: 3),
      .init(valueHandle: 9, uuid: BluetoothUUID(high: 1, low: 2), bits: 1),
    ]
    return client
  }

  private static func entries() throws -> [StoredBonds.Entry] {
    [
      StoredBonds.Entry(local: .staticRandom(1), bond: try bond(2)),
      StoredBonds.Entry(local: BluetoothAddress(3, kind: .public), bond: try bond(4, full: false)),
    ]
  }

  /// A content with its digest.
  private func sealed(_ content: [UInt8]) -> [UInt8] { content + StoredFrame.digest(of: content) }

  @Test("has this form") func form() throws {
    let entry = StoredBonds.Entry(local: .staticRandom(1), bond: try Self.bond(2, full: false))
    let content =
      [0x4C, 0x4B, 0x42, 0x44, 0x01, 0x01, 0x00] + [0x01, 0x01, 0, 0, 0, 0, 0xC0] + [0x01, 0x02, 0, 0, 0, 0, 0xC0]
      + [0x01, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0] + [7, 0x01, 0x34, 0x12, 8, 7, 6, 5, 4, 3, 2, 1]
      as [UInt8]
    #expect(StoredBonds.encode([entry]) == sealed(content))
    #expect(try StoredBonds.decode(sealed(content)) == [entry])
  }

  @Test("returns what was written") func roundTrip() throws {
    let entries = try Self.entries()
    #expect(try StoredBonds.decode(StoredBonds.encode(entries)) == entries)
    #expect(try StoredBonds.decode(StoredBonds.encode([])) == [])
  }

  @Test("is refused with any byte changed, and at any other length") func damaged() throws {
    let bytes = StoredBonds.encode(try Self.entries())
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x10
      #expect(throws: StoredFileError.self) { try StoredBonds.decode(damaged) }
      #expect(throws: StoredFileError.self) { try StoredBonds.decode(Array(bytes.prefix(index))) }
    }
    #expect(throws: StoredFileError.self) { try StoredBonds.decode(bytes + [0]) }
  }

  @Test(
    "is refused with fields out of their range, whatever its digest",
    arguments: [
      (4, 0), (5, 2), (6, 0xFF), (7, 2), (14, 2), (21, 0x81), (29, 1), (38, 6), (38, 17), (38, 0), (39, 4),
    ]) func ranges(_ index: Int, _ value: UInt8) throws
  {
    let entry = StoredBonds.Entry(local: .staticRandom(1), bond: try Self.bond(2, full: false))
    var content = Array(StoredBonds.encode([entry]).dropLast(32))
    content[index] = value
    #expect(throws: StoredFileError.self) { try StoredBonds.decode(sealed(content)) }
  }

  @Test("has this form for what is kept of a client") func clients() throws {
    var entry = StoredBonds.Entry(local: .staticRandom(1), bond: try Self.bond(2, full: false))
    let plain = Array(StoredBonds.encode([entry]).dropLast(32))
    entry.bond.client = Self.client
    var content = plain + [3, 3] + Array(1...16) + Array(2...17) + [2] + [0x02, 0x01, 3, 2, 0x19, 0x2A]
    content += [9, 0, 1, 16, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    content[21] |= 0x40
    #expect(StoredBonds.encode([entry]) == sealed(content))
    #expect(try StoredBonds.decode(sealed(content)) == [entry])
    // Kinds of hashes, number of configurations, bits, handle, length of a UUID.
    let start = plain.count
    let wrong: [(Int, UInt8)] = [(1, 4), (34, 65), (34, 1), (34, 3), (37, 0), (37, 4), (38, 3), (38, 16), (41, 0)]
    for (index, value) in wrong {
      var changed = content
      changed[start + index] = value
      #expect(throws: StoredFileError.self, "\(index)") { try StoredBonds.decode(sealed(changed)) }
    }
    // 0x2A19 in its long form.
    let long = content.prefix(start + 38) + [4, 0x19, 0x2A, 0, 0] + content.dropFirst(start + 41)
    #expect(throws: StoredFileError.self) { try StoredBonds.decode(sealed(Array(long))) }
    for count in start..<content.count {
      #expect(throws: StoredFileError.self) { try StoredBonds.decode(sealed(Array(content.prefix(count)))) }
    }
  }

  @Test("has the address by which a peer is known at the end of its bond, if it is not the identity")
  func knownAddress()
    throws
  {
    var entry = StoredBonds.Entry(local: .staticRandom(1), bond: try Self.bond(2, full: false))
    let content = Array(StoredBonds.encode([entry]).dropLast(32))
    entry.bond.knownAddress = BluetoothAddress(0x4000_0000_0008, kind: .random)
    var expected = content + [0x01, 8, 0, 0, 0, 0, 0x40]
    expected[21] |= 0x80
    #expect(StoredBonds.encode([entry]) == sealed(expected))
    #expect(try StoredBonds.decode(sealed(expected)) == [entry])
    // What says nothing is left out.
    expected.replaceSubrange((expected.count - 7)..., with: [0x01, 0x02, 0, 0, 0, 0, 0xC0])
    #expect(throws: StoredFileError.self) { try StoredBonds.decode(sealed(expected)) }
  }

  @Test("of a newer version is told from a damaged one, whatever is in it", arguments: [2, 3, 0xFF] as [UInt8])
  func newerVersion(_ version: UInt8) throws {
    var content = Array(StoredBonds.encode(try Self.entries()).dropLast(32))
    content[4] = version
    let error = StoredFileError.newerVersion(version, known: 1)
    #expect(throws: error) { try StoredBonds.decode(sealed(content)) }
    #expect(throws: error) { try StoredBonds.decode(sealed(content + [1, 2, 3])) }
    #expect(throws: error) { try StoredBonds.decode(sealed(Array(content.prefix(5)))) }
    // Not one that says so by an accident, nor one of another kind.
    let damaged = content + StoredBonds.encode([]).suffix(32)
    #expect(throws: StoredFileError.damaged(.invalidValue(field: "digest"))) { try StoredBonds.decode(damaged) }
    content[3] ^= 0x01
    #expect(throws: StoredFileError.damaged(.invalidValue(field: "signature"))) {
      try StoredBonds.decode(sealed(content))
    }
  }

  @Test("has no key of zeros") func zeros() throws {
    let entry = StoredBonds.Entry(local: .staticRandom(1), bond: try Self.bond(2, full: false))
    var content = Array(StoredBonds.encode([entry]).dropLast(32))
    for index in 22..<38 { content[index] = 0 }
    #expect(throws: StoredFileError.self) { try StoredBonds.decode(sealed(content)) }
  }

  @Test("has 1024 entries at most") func capacity() throws {
    let entry = StoredBonds.Entry(local: .staticRandom(1), bond: try Self.bond(2))
    let most = Array(repeating: entry, count: StoredBonds.capacity)
    #expect(StoredBonds.encode(most + [entry]) == StoredBonds.encode(most))
    #expect(try StoredBonds.decode(StoredBonds.encode(most)).count == StoredBonds.capacity)
  }
}
