import Crypto
import LatchkeyByteCoding
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

@Suite("Stored bytes") struct StorageCodingTests {
  static let content = ItemContent(
    accessGroup: "grüp",
    attributes: [
      .account: .text("anna"), .generic: .bytes([0, 1]), .creator: .number(-2), .creationDate: .date(1.5),
    ])
  static let bytes: [UInt8] =
    [1, 5, 0, 0x67, 0x72, 0xC3, 0xBC, 0x70, 4, 0]
    + [0x74, 0x63, 0x63, 0x61, 1, 4, 0, 0, 0, 0x61, 0x6E, 0x6E, 0x61]  // acct
    + [0x74, 0x61, 0x64, 0x63, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F]  // cdat
    + [0x72, 0x74, 0x72, 0x63, 3, 8, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]  // crtr
    + [0x61, 0x6E, 0x65, 0x67, 2, 2, 0, 0, 0, 0, 1]  // gena

  @Test("An item has one encoding") func anItemHasOneEncoding() throws {
    #expect(Self.content.encode() == Self.bytes)
    #expect(Self.content.encodedSize == Self.bytes.count)
    #expect(try ItemContent.decode(Self.bytes) == Self.content)
  }

  @Test("Every shorter or longer encoding is refused") func everyShorterOrLongerEncodingIsRefused() {
    for count in 0..<Self.bytes.count {
      #expect(throws: ByteCodingError.self, "\(count)") { try ItemContent.decode(Array(Self.bytes.prefix(count))) }
    }
    #expect(throws: ByteCodingError.self) { try ItemContent.decode(Self.bytes + [0]) }
  }

  @Test(
    "Bytes that are the encoding of no item are refused",
    arguments: [
      [2, 0, 0, 0, 0],  // version
      [1, 1, 0, 0xFF, 0, 0],  // no UTF-8 group
      [1, 0, 0, 0xFF, 0xFF],  // more attributes than any item has
      [1, 0, 0, 2, 0] + number(5) + number(5),  // the same attribute twice
      [1, 0, 0, 2, 0] + number(6) + number(5),  // not in order
      [1, 0, 0, 1, 0, 5, 0, 0, 0, 9, 0, 0, 0, 0],  // kind
      [1, 0, 0, 1, 0, 5, 0, 0, 0, 3, 4, 0, 0, 0, 1, 2, 3, 4],  // a number of four bytes
      [1, 0, 0, 1, 0, 5, 0, 0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F],  // an infinite date
      [1, 0, 0, 1, 0, 5, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x61],  // a length past the end
      [1, 0, 0, 1, 0, 5, 0, 0, 0, 1, 1, 0, 0, 0, 0x80],  // no UTF-8
    ])
  func whatNoItemEncodesAsIsRefused(_ bytes: [UInt8]) {
    #expect(throws: ByteCodingError.self) { try ItemContent.decode(bytes) }
  }

  static func number(_ code: UInt8) -> [UInt8] { [code, 0, 0, 0, 3, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0] }

  @Test("Padding hides the length and is checked") func paddingHidesTheLengthAndIsChecked() throws {
    for count in 0...50 {
      let bytes = (0..<count).map { UInt8($0) }
      let padded = PaddedBytes.encode(bytes)
      #expect(padded.count % 16 == 0 && padded.count >= count + 4 && padded.count < count + 20)
      #expect(try PaddedBytes.decode(padded) == bytes)
    }
    for wrong in [
      [], [0, 0, 0, 0], [1, 0, 0, 0] + zeros(28), [0, 0, 0, 0] + zeros(11) + [1], [0xFF, 0xFF, 0xFF, 0xFF] + zeros(12),
      [0, 0, 0, 0] + zeros(28),
    ] as [[UInt8]] {
      #expect(throws: ByteCodingError.self) { try PaddedBytes.decode(wrong) }
    }
  }

  private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  @Test("Tag lists are in order and whole") func tagListsAreInOrderAndWhole() throws {
    let list = TagList(tags: [
      AttributeTag(name: 1, value: [UInt8](repeating: 1, count: 16)),
      AttributeTag(name: 0x0102_0304, value: [UInt8](repeating: 2, count: 16)),
    ])
    let bytes = [1, 0, 0, 0] + [UInt8](repeating: 1, count: 16) + [4, 3, 2, 1] + [UInt8](repeating: 2, count: 16)
    #expect(list.encode() == bytes)
    #expect(try TagList.decode(bytes) == list)
    #expect(list[1] == [UInt8](repeating: 1, count: 16))
    #expect(list[2] == nil)
    #expect(throws: ByteCodingError.self) { try TagList.decode(Array(bytes[20...] + bytes[..<20])) }
    #expect(throws: ByteCodingError.self) { try TagList.decode(Array(bytes[..<20] + bytes[..<20])) }
    #expect(throws: ByteCodingError.self) { try TagList.decode(Array(bytes.dropLast())) }
    #expect(throws: ByteCodingError.self) { try TagList.decode(zeros(20 * 65)) }
  }

  private func stored(
    _ flags: AccessControl.Flags, enrollment: [UInt8]? = nil, isBoundToPasscode: Bool = false,
    isEnclaveKey: Bool = false
  ) -> StoredControl {
    StoredControl(
      control: AccessControl(protection: .whenUnlocked, flags: flags), enrollment: enrollment,
      isBoundToPasscode: isBoundToPasscode, isEnclaveKey: isEnclaveKey)
  }

  private func decoded(_ bytes: [UInt8]?) throws(ByteCodingError) -> StoredControl {
    try StoredControl.decode(bytes, protection: .whenUnlocked)
  }

  @Test("Access controls are known flags or none") func accessControlsAreKnownFlagsOrNone() throws {
    #expect(stored([]).encode() == nil)
    let usage = stored(.privateKeyUsage)
    #expect(usage.encode() == [1, 0, 0, 0, 0x40, 0, 0, 0, 0])
    #expect(try decoded([1, 0, 0, 0, 0x40, 0, 0, 0, 0]) == usage)
    #expect(try decoded(nil) == stored([]))
    for wrong in [
      [], [1], [2, 0, 0, 0, 0x40, 0, 0, 0, 0], [1] + zeros(8), [1, 0, 0, 0, 0, 1, 0, 0, 0],
      [1, 0, 0xC0, 0, 0, 0, 0, 0, 0],
      [1, 0, 0, 0, 0x40, 0, 0, 0, 0, 0],
    ] as [[UInt8]] {
      #expect(throws: ByteCodingError.self) { try decoded(wrong) }
    }
  }

  @Test("Constraints say what was enrolled and what they are bound to")
  func constraintsSayWhatWasEnrolledAndWhatTheyAreBoundTo() throws {
    let passcode: [UInt8] = [2, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 0]
    let biometry: [UInt8] = [2, 0x08, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0xAB, 0xCD]
    let key: [UInt8] = [2, 0x08, 0, 0, 0x40, 0, 0, 0, 0, 2, 0]
    let bareKey: [UInt8] = [2] + zeros(8) + [2, 0]
    let expected: [([UInt8], StoredControl)] = [
      (passcode, stored(.devicePasscode, isBoundToPasscode: true)),
      (biometry, stored(.biometryCurrentSet, enrollment: [0xAB, 0xCD])),
      (key, stored([.biometryCurrentSet, .privateKeyUsage], isEnclaveKey: true)),
      (bareKey, stored([], isEnclaveKey: true)),
    ]
    for (bytes, control) in expected {
      #expect(control.encode() == bytes)
      #expect(try decoded(bytes) == control)
      for count in bytes.indices {
        #expect(throws: ByteCodingError.self) { try decoded(Array(bytes.prefix(count))) }
      }
      #expect(throws: ByteCodingError.self) { try decoded(bytes + [0]) }
    }
    // Constraints in version 1; unknown bits; biometry bound to the passcode; an enrollment too many, one too long; no
    // constraint.
    for wrong in [
      [1, 0x10, 0, 0, 0, 0, 0, 0, 0], [2, 0x10, 0, 0, 0, 0, 0, 0, 0, 4, 0], [2, 0x02, 0, 0, 0, 0, 0, 0, 0, 1, 0],
      [2, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 1, 9], [2, 0x08, 0, 0, 0, 0, 0, 0, 0, 2, 1, 9],
      [2, 0x08, 0, 0, 0, 0, 0, 0, 0, 0, 65] + zeros(65), [2, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]] {
      #expect(throws: ByteCodingError.self) { try decoded(wrong) }
    }
  }

  /// No beginning of a header's state decodes.
  private func expectNoneCut(_ bytes: [UInt8]) {
    for count in bytes.indices {
      #expect(throws: ByteCodingError.self, "\(count)") { try HeaderState.decode(Array(bytes.prefix(count))) }
    }
  }

  @Test("A header comes back as it was") func aHeaderComesBackAsItWas() throws {
    var state = HeaderState(slotsDigest: [UInt8](repeating: 3, count: 32))
    state.setHash = SetHash(bytes: (0..<32).map { UInt8($0) })
    state.itemCount = 7
    state.audit = AuditPosition(first: 5, last: 9, anchor: zeros(32), head: [UInt8](repeating: 8, count: 32))
    state.attempts = [1, 2, 3]
    let bytes = state.encode()
    #expect(try HeaderState.decode(bytes) == state)
    expectNoneCut(bytes)
    #expect(throws: ByteCodingError.self) { try HeaderState.decode(bytes + [0]) }
    for position in [
      AuditPosition(first: 0, last: 0), AuditPosition(first: 3, last: 1), AuditPosition(first: 1, last: .max),
      AuditPosition(first: 1, last: 0, anchor: zeros(32), head: [UInt8](repeating: 8, count: 32)),
    ] {
      state.audit = position
      #expect(throws: ByteCodingError.self) { try HeaderState.decode(state.encode()) }
    }
  }

  @Test("The header counts the items under each root") func theHeaderCountsTheItemsUnderEachRoot() throws {
    var state = HeaderState(sums: HeaderSums(), deviceItemCount: 0, slotsDigest: [UInt8](repeating: 3, count: 32))
    let always = StoredCodes.code(of: .always)
    let unlocked = StoredCodes.code(of: .whenUnlocked)
    #expect(!state.mayHaveItems(underDeviceRoot: true) && !state.mayHaveItems(underDeviceRoot: false))
    state.countItem(accessibility: always)
    #expect(state.mayHaveItems(underDeviceRoot: true) && !state.mayHaveItems(underDeviceRoot: false))
    state.countItem(accessibility: unlocked)
    #expect(state.itemCount == 2 && state.deviceItemCount == 1)
    for names in [[], ["fprintd"]] {
      state.authenticators = names
      let bytes = state.encode()
      #expect(try HeaderState.decode(bytes) == state)
      expectNoneCut(bytes)
      #expect(throws: ByteCodingError.self) { try HeaderState.decode(bytes + [0]) }
    }
    let removed = (1...3).map { _ in state.discountItem(accessibility: always) }
    #expect(removed == [true, false, false], "no more go than came")
    #expect(state.mayHaveItems(underDeviceRoot: false) && !state.mayHaveItems(underDeviceRoot: true))
    state.deviceItemCount = 2
    #expect(throws: ByteCodingError.self) { try HeaderState.decode(state.encode()) }
    state.deviceItemCount = nil
    #expect(state.mayHaveItems(underDeviceRoot: true), "what was not counted may be there")
    #expect(try HeaderState.decode(state.encode()) == state)
  }

  @Test("The header stores the allowed authenticators") func theHeaderKeepsWhoMayVouch() throws {
    var state = HeaderState(slotsDigest: [UInt8](repeating: 3, count: 32))
    for generation in [UInt64(0), 9] {
      state.generation = generation
      for names in [["fprintd"], ["pam:login", "program:/sensor", "code:é"], (0..<16).map { "pam:\($0)" }] {
        state.authenticators = names
        let bytes = state.encode()
        #expect(try HeaderState.decode(bytes) == state)
        expectNoneCut(bytes)
        #expect(throws: ByteCodingError.self) { try HeaderState.decode(bytes + [0]) }
      }
    }
    for names in [["a", "a"], [""], [String(repeating: "x", count: 513)], (0..<17).map { "pam:\($0)" }] {
      state.authenticators = names
      #expect(throws: ByteCodingError.self) { try HeaderState.decode(state.encode()) }
    }
  }

  @Test("The sum is one modulo 256 bits") func theSumIsOneModulo256Bits() {
    let one = SetHash(bytes: [1] + zeros(31))
    var sum = SetHash(bytes: [UInt8](repeating: 0xFF, count: 32))
    sum.add(one)
    #expect(sum == SetHash())
    sum.subtract(one)
    #expect(sum.bytes == [UInt8](repeating: 0xFF, count: 32))
    var carried = SetHash(bytes: [UInt8](repeating: 0xFF, count: 8) + zeros(24))
    carried.add(one)
    #expect(carried.bytes == zeros(8) + [1] + zeros(23))
    let a = SetHash(bytes: (0..<32).map { UInt8($0 * 7) })
    let b = SetHash(bytes: (0..<32).map { UInt8(255 - $0) })
    var forth = a
    forth.add(b)
    var back = forth
    back.subtract(b)
    #expect(back == a)
    var swapped = b
    swapped.add(a)
    #expect(swapped == forth)
  }

  @Test("Each sealed column opens in its own place alone") func eachSealedColumnOpensInItsOwnPlaceAlone() throws {
    let fixture = try RingFixture()
    let ring = try fixture.ring()
    let sealer = RowSealer(storeUUID: fixture.uuid, setHashKey: ring.setHashKey)
    let keys = try ring.classKeys(for: .always)
    var row = ItemRow(
      id: 1, uuid: [UInt8](repeating: 1, count: 16), itemClass: 1, synchronizable: 0,
      groupTag: [UInt8](repeating: 2, count: 16), accessibility: 3, uniqueTag: [UInt8](repeating: 3, count: 16),
      version: 1, epoch: 1, accessControl: nil, tags: [], meta: [], wrappedKey: nil, data: nil, mark: [])
    try sealer.seal(Self.content, data: [1, 2, 3], into: &row, keys: keys)
    #expect(try sealer.openContent(row, keys: keys) == Self.content)
    #expect(try sealer.openData(row, keys: keys) == [1, 2, 3])
    #expect(sealer.isAuthentic(row))

    let changes: [(inout ItemRow) -> Void] = [
      { $0.uuid[0] ^= 1 }, { $0.itemClass = 2 }, { $0.synchronizable = 1 }, { $0.groupTag[15] ^= 1 },
      { $0.accessibility = 2 }, { $0.version = 2 }, { $0.epoch = 2 }, { $0.accessControl = [1] },
    ]
    for (index, change) in changes.enumerated() {
      var other = row
      change(&other)
      #expect(
        failure { () throws(StoreError) in try sealer.openContent(other, keys: keys) }?.isDamaged == true, "\(index)")
      #expect(
        failure { () throws(StoreError) in try sealer.openData(other, keys: keys) }?.isDamaged == true, "\(index)")
      #expect(!sealer.isAuthentic(other), "\(index)")
    }
    var swapped = row
    swapped.meta = try #require(row.data)
    swapped.data = row.meta
    #expect(failure { () throws(StoreError) in try sealer.openContent(swapped, keys: keys) }?.isDamaged == true)
    let elsewhere = RowSealer(storeUUID: [UInt8](repeating: 9, count: 16), setHashKey: ring.setHashKey)
    #expect(failure { () throws(StoreError) in try elsewhere.openContent(row, keys: keys) }?.isDamaged == true)
    let otherKeys = try ring.classKeys(for: .whenUnlocked)
    #expect(failure { () throws(StoreError) in try sealer.openContent(row, keys: otherKeys) }?.isDamaged == true)
    var keyless = row
    keyless.wrappedKey = nil
    #expect(failure { () throws(StoreError) in try sealer.openData(keyless, keys: keys) }?.isDamaged == true)
    #expect(sealer.share(id: 1, mark: row.mark) != sealer.share(id: 2, mark: row.mark))
  }

  @Test("Tags distinguish classes, attributes and values") func tagsDistinguishClassesAttributesAndValues() throws {
    let tags = IndexTags(indexKey: SymmetricKey(size: .bits256))
    let tag = try #require(tags.attribute(.account, .text("a"), in: 1))
    #expect(tag.count == 16)
    #expect(tags.attribute(.account, .bytes([0x61]), in: 1) == tag)
    #expect(tags.attribute(.account, .text("b"), in: 1) != tag)
    #expect(tags.attribute(.service, .text("a"), in: 1) != tag)
    #expect(tags.attribute(.account, .text("a"), in: 2) != tag)
    #expect(tags.attribute(.creator, .number(0x61), in: 1) != tags.attribute(.creator, .text("a"), in: 1))
    for empty in [AttributeValue.text(""), .bytes([]), .number(0), .date(1)] {
      #expect(tags.attribute(.account, empty, in: 1) == nil)
    }
    #expect(IndexTags(indexKey: SymmetricKey(size: .bits256)).attribute(.account, .text("a"), in: 1) != tag)
  }

  @Test("Primary keys do not collide by concatenation") func primaryKeysDoNotRunTogether() {
    let tags = IndexTags(indexKey: SymmetricKey(size: .bits256))
    let group = [UInt8](repeating: 1, count: 16)
    func key(_ account: String, _ service: String, _ synchronizable: Bool = false) -> [UInt8] {
      tags.primaryKey(
        [.account: .text(account), .service: .text(service)], of: .genericPassword, synchronizable: synchronizable,
        groupTag: group)
    }
    #expect(key("ab", "c") != key("a", "bc"))
    #expect(key("", "a") != key("a", ""))
    #expect(key("a", "b") != key("a", "b", true))
    #expect(key("a", "b") == key("a", "b"))
  }
}
