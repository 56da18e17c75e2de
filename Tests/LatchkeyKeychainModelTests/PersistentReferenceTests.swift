import LatchkeyByteCoding
import LatchkeyKeychainModel
import Testing

@Suite("PersistentReference") struct PersistentReferenceTests {
  private static let uuid = (0xA0..<0xB0).map { UInt8($0) }

  private func refusal(_ bytes: [UInt8]) -> ByteCodingError? {
    failure { () throws(ByteCodingError) in try PersistentReference(bytes: bytes) }
  }

  @Test("Its bytes are the four characters of the class and the UUID") func layout() throws {
    let reference = try PersistentReference(itemClass: .genericPassword, uuid: Self.uuid)
    #expect(reference.bytes == (try Hexadecimal.decode("67656e70" + "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")))
  }

  @Test("A reference of each class comes back from its bytes", arguments: ItemClass.allCases)
  func roundTrip(_ itemClass: ItemClass) throws {
    for uuid in [Self.uuid, [UInt8](repeating: 0, count: 16), [UInt8](repeating: 255, count: 16)] {
      let reference = try PersistentReference(itemClass: itemClass, uuid: uuid)
      #expect(reference.bytes.count == 20)
      let decoded = try PersistentReference(bytes: reference.bytes)
      #expect(decoded == reference)
      #expect(decoded.itemClass == itemClass && decoded.uuid == uuid)
    }
  }

  @Test("Each shorter length is refused, and the refusal says what is missing", arguments: ItemClass.allCases)
  func truncated(_ itemClass: ItemClass) throws {
    let bytes = try PersistentReference(itemClass: itemClass, uuid: Self.uuid).bytes
    for length in 0..<bytes.count {
      let expected =
        length < 4
        ? ByteCodingError.truncated(field: "class of a persistent reference", needed: 4, available: length)
        : .truncated(field: "UUID of a persistent reference", needed: 16, available: length - 4)
      #expect(refusal(Array(bytes.prefix(length))) == expected, "\(length)")
    }
  }

  @Test("A UUID of another length than 16 bytes is refused", arguments: [0, 1, 15, 17, 32, 1000])
  func otherLength(_ length: Int) {
    let refusal = failure { () throws(ByteCodingError) in
      try PersistentReference(itemClass: .key, uuid: [UInt8](repeating: 1, count: length))
    }
    #expect(refusal == .invalidValue(field: "UUID of a persistent reference"))
  }

  @Test("The reference in another class has the same UUID") func otherClass() throws {
    let certificate = try PersistentReference(itemClass: .certificate, uuid: Self.uuid)
    #expect(try certificate.asReference(to: .identity) == PersistentReference(itemClass: .identity, uuid: Self.uuid))
  }

  @Test("Bytes after the UUID are refused") func trailing() throws {
    let bytes = try PersistentReference(itemClass: .key, uuid: Self.uuid).bytes
    for count in [1, 2, 16, 20, 1000] {
      #expect(
        refusal(bytes + [UInt8](repeating: 0, count: count))
          == .trailingBytes(structure: "persistent reference", count: count))
    }
  }

  @Test("A class with any byte changed is refused", arguments: ItemClass.allCases)
  func changedClass(_ itemClass: ItemClass) throws {
    let bytes = try PersistentReference(itemClass: itemClass, uuid: Self.uuid).bytes
    for position in 0..<4 {
      for value in UInt8.min...UInt8.max where value != bytes[position] {
        var changed = bytes
        changed[position] = value
        #expect(
          refusal(changed) == .invalidValue(field: "class of a persistent reference"), "\(position): \(value)")
      }
    }
  }

  @Test(
    "A class of Apple's older systems, or with its bytes reversed, is refused",
    arguments: ["GENP", "pneg", "\0\0\0\0", "dsa ", "rsa ", "pubk", "priv", "clas"])
  func otherClasses(_ name: String) {
    #expect(refusal(Array(name.utf8) + Self.uuid) == .invalidValue(field: "class of a persistent reference"))
  }

  @Test("A refusal shows none of the refused bytes, however it is printed") func noBytesInRefusals() throws {
    let marker = Array("Zqxj".utf8)
    for bytes in [marker + Self.uuid, marker + Self.uuid + marker, marker + marker, Array(marker.prefix(3))] {
      for text in texts(of: try #require(refusal(bytes))) {
        for trace in ["Zq", "90", "113", "5a71", "160", "161", "a0a1"] { #expect(!text.contains(trace), "\(text)") }
      }
    }
  }

  @Test("Two references to one UUID in different classes are different") func equality() throws {
    let reference = try PersistentReference(itemClass: .key, uuid: Self.uuid)
    #expect(try reference != PersistentReference(itemClass: .certificate, uuid: Self.uuid))
    #expect(try reference != PersistentReference(itemClass: .key, uuid: Self.uuid.reversed()))
  }
}
