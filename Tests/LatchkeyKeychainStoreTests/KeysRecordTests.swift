import Crypto
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySecretData
import Testing

@testable import LatchkeyKeychainStore

@Suite("Key records") struct KeysRecordTests {
  private let passcode = RingFixture.passcode

  @Test("a record comes back as it was encoded, and no prefix of it does") func coding() throws {
    for record in try RingFixture(passcode: passcode).records {
      let encoded = record.encoded
      #expect(try KeyRecord(encoded: encoded) == record)
      for count in 0..<encoded.count {
        #expect(throws: ByteCodingError.self) { try KeyRecord(encoded: Array(encoded.prefix(count))) }
      }
      #expect(throws: ByteCodingError.self) { try KeyRecord(encoded: encoded + [0]) }
    }
  }

  @Test("the encoding is kind, accessibility, epoch, parameters, wrapped key") func layout() {
    let record = KeyRecord(
      kind: .classKeys, accessibility: .alwaysThisDeviceOnly, epoch: 0x0102, parameters: [7], wrapped: [8, 9])
    #expect(Hexadecimal.encode(record.encoded) == "0303646b7502010000010007" + "02000809")
  }

  @Test("unknown kinds and accessibilities, and fields too long, are refused") func refused() {
    for text in [
      "0000" + "01000000" + "0000" + "0000", "0a00" + "01000000" + "0000" + "0000",
      "0302616101000000" + "0000" + "0000", "0102" + "ff" + "ff" + "01000000" + "0000" + "0000",
    ] {
      #expect(throws: ByteCodingError.self) { try KeyRecord(encoded: Hexadecimal.decode(text)) }
    }
    var record = KeyRecord(kind: .userRootByDevice, accessibility: nil, epoch: 1, parameters: [], wrapped: [])
    record.parameters = [UInt8](repeating: 0, count: KeyRecord.maximumParameters + 1)
    #expect(throws: ByteCodingError.self) { try KeyRecord(encoded: record.encoded) }
    record.parameters = []
    record.wrapped = [UInt8](repeating: 0, count: KeyRecord.maximumWrapped + 1)
    #expect(throws: ByteCodingError.self) { try KeyRecord(encoded: record.encoded) }
  }

  @Test("every byte of every record flipped is damage, never a key", arguments: [false, true])
  func flipped(_ withPasscode: Bool) throws {
    let fixture = try RingFixture(passcode: withPasscode ? passcode : nil)
    for (index, record) in fixture.records.enumerated() {
      let encoded = record.encoded
      for offset in encoded.indices {
        for mask: UInt8 in [0x01, 0x80, 0xFF] {
          var bytes = encoded
          bytes[offset] ^= mask
          guard let altered = try? KeyRecord(encoded: bytes) else { continue }
          var records = fixture.records
          records[index] = altered
          #expect(storeError { try fixture.ring(records) }.isDamaged, "record \(index), byte \(offset)")
        }
      }
    }
  }

  @Test("another root key is said to be that, not damage") func otherRoot() throws {
    for withPasscode in [false, true] {
      let fixture = try RingFixture(passcode: withPasscode ? passcode : nil)
      #expect(storeError { try fixture.ring(root: RootKey()) }.isRootKeyUnavailable)
      #expect(
        storeError { try KeyRing(records: fixture.records, storeUUID: [1], root: fixture.root) }.isRootKeyUnavailable)
    }
  }

  @Test("a record missing, doubled, swapped or from another time is damage") func composition() throws {
    let plain = try RingFixture()
    let ring = try plain.ring()
    let set = try ring.settingPasscode(passcode, current: nil).records
    for records in [plain.records, set] {
      #expect(throws: Never.self) { try plain.ring(records.reversed()) }
      for index in records.indices {
        var fewer = records
        fewer.remove(at: index)
        // Without an index key they are those of format 3: that one is gone, the header's digest tells.
        if records[index].kind != .indexKey { #expect(storeError { try plain.ring(fewer) }.isDamaged) }
        #expect(storeError { try plain.ring(records + [records[index]]) }.isDamaged)
        var swapped = records
        let next = (index + 1) % records.count
        (swapped[index].wrapped, swapped[next].wrapped) = (records[next].wrapped, records[index].wrapped)
        #expect(storeError { try plain.ring(swapped) }.isDamaged)
      }
    }
    // The user root by the device root beside that by the passcode, and the WhenPasscodeSet key without a passcode.
    #expect(storeError { try plain.ring(set + [plain.records[0]]) }.isDamaged)
    #expect(storeError { try plain.ring([plain.records[0]] + set.dropFirst()) }.isDamaged)
    #expect(storeError { try plain.ring([]) }.isDamaged)
    #expect(storeError { try plain.ring(Array(repeating: set[0], count: 65)) }.isDamaged)
  }

  @Test("a passcode record below the floor is refused, though authentic") func loweredCost() throws {
    let fixture = try RingFixture(passcode: passcode)
    #expect(throws: Never.self) { try fixture.ring() }
    #expect(storeError { try fixture.ring(cost: .calibrated) }.isDamaged)
    #expect(storeError { try fixture.ring(cost: PasscodeCost(rounds: 32)) }.isDamaged)
  }

  @Test("the digest is that of the set of records, in any order") func digest() throws {
    let records = try RingFixture(passcode: passcode).records
    let digest = KeyRecord.digest(of: records)
    #expect(digest.count == 32)
    #expect(KeyRecord.digest(of: records.reversed()) == digest)
    #expect(KeyRecord.digest(of: Array(records.dropLast())) != digest)
    #expect(KeyRecord.digest(of: records + [records[0]]) != digest)
    var altered = records
    altered[3].epoch += 1
    #expect(KeyRecord.digest(of: altered) != digest)
  }

  @Test("wrapped keys hold no key in the clear, and differ each time") func secrecy() throws {
    let fixture = try RingFixture(passcode: passcode)
    let ring = try fixture.ring()
    try ring.unlock(passcode: passcode)
    for accessibility in Accessibility.allCases {
      let record = try #require(fixture.records.first { $0.accessibility == accessibility })
      let secret = try ring.classKeys(for: accessibility).secret.exposedBytes
      #expect(!record.wrapped.contains(secret))
    }
    let again = try ring.settingPasscode(passcode, current: ring.attempt(passcode)).records
    let (old, new) = (
      fixture.records.first { $0.kind == .userRootByPasscode }, again.first { $0.kind == .userRootByPasscode }
    )
    #expect(old?.wrapped != new?.wrapped && old?.parameters != new?.parameters)
  }
}
