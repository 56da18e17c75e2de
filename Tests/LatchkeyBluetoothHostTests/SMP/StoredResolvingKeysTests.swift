import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A file of resolving keys") struct StoredResolvingKeysTests {
  private func entry(_ number: UInt64) throws -> StoredResolvingKeys.Entry {
    let key = try #require(SecurityKey((1...16).map { UInt8($0) &+ UInt8(truncatingIfNeeded: number) }))
    return StoredResolvingKeys.Entry(address: .staticRandom(number), resolvingKey: key)
  }

  /// A content with its digest.
  private func sealed(_ content: [UInt8]) -> [UInt8] { content + StoredFrame.digest(of: content) }

  private func content(_ numbers: UInt64...) throws -> [UInt8] {
    Array(StoredResolvingKeys.encode(try numbers.map(entry)).dropLast(32))
  }

  @Test("has this form, and returns what was written") func form() throws {
    let content =
      [0x4C, 0x4B, 0x52, 0x4B, 0x01, 0x01, 0x00] + [0x01, 0x01, 0, 0, 0, 0, 0xC0]
      + [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17] as [UInt8]
    #expect(StoredResolvingKeys.encode([try entry(1)]) == sealed(content))
    #expect(try StoredResolvingKeys.decode(sealed(content)) == [entry(1)])
    let entries = try (1...20).map { try entry($0) }
    #expect(try StoredResolvingKeys.decode(StoredResolvingKeys.encode(entries)) == entries)
    #expect(try StoredResolvingKeys.decode(StoredResolvingKeys.encode([])) == [])
  }

  @Test("is refused with any byte changed, and at any other length") func damaged() throws {
    let bytes = sealed(try content(1, 2))
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x10
      #expect(throws: StoredFileError.self) { try StoredResolvingKeys.decode(damaged) }
      #expect(throws: StoredFileError.self) { try StoredResolvingKeys.decode(Array(bytes.prefix(index))) }
    }
    #expect(throws: StoredFileError.self) { try StoredResolvingKeys.decode(bytes + [0]) }
  }

  @Test(
    "is refused with fields out of their range, whatever its digest",
    arguments: [(0, 0x4D), (4, 0), (5, 0), (5, 2), (6, 0xFF), (7, 2)]) func ranges(_ index: Int, _ value: UInt8) throws
  {
    var content = try content(1)
    content[index] = value
    #expect(throws: StoredFileError.self) { try StoredResolvingKeys.decode(sealed(content)) }
  }

  @Test("of a newer version is told from a damaged one, whatever is in it", arguments: [2, 3, 0xFF] as [UInt8])
  func newerVersion(_ version: UInt8) throws {
    var content = try content(1, 2)
    content[4] = version
    let error = StoredFileError.newerVersion(version, known: 1)
    #expect(throws: error) { try StoredResolvingKeys.decode(sealed(content)) }
    #expect(throws: error) { try StoredResolvingKeys.decode(sealed(content + [1, 2, 3])) }
    #expect(throws: error) { try StoredResolvingKeys.decode(sealed(Array(content.prefix(5)))) }
    // Not one that says so by an accident, nor one of another kind.
    let damaged = content + StoredResolvingKeys.encode([]).suffix(32)
    #expect(throws: StoredFileError.damaged(.invalidValue(field: "digest"))) { try StoredResolvingKeys.decode(damaged) }
    content[3] ^= 0x01
    #expect(throws: StoredFileError.damaged(.invalidValue(field: "signature"))) {
      try StoredResolvingKeys.decode(sealed(content))
    }
  }

  @Test("has no key of zeros") func zeros() throws {
    var content = try content(1)
    for index in 14..<30 { content[index] = 0 }
    #expect(throws: StoredFileError.self) { try StoredResolvingKeys.decode(sealed(content)) }
  }

  @Test("has 1024 entries at most") func capacity() throws {
    let most = Array(repeating: try entry(1), count: StoredResolvingKeys.capacity)
    #expect(StoredResolvingKeys.encode(most + [try entry(2)]) == StoredResolvingKeys.encode(most))
    #expect(try StoredResolvingKeys.decode(StoredResolvingKeys.encode(most)).count == StoredResolvingKeys.capacity)
  }
}
