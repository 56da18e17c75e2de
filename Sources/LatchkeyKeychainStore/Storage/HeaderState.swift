import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeyUserPresence

/// What the header keeps sealed: the sums over all rows, how many they are, the digest of the key slots, the state of the
/// passcode attempts, where the audit chain stands, and who may vouch for a user.
///
/// `UInt8` version 1 to 5; 32 bytes sum, from version 4 on ``HeaderSums`` in its place; `UInt64` items; in version 5 `UInt64`
/// items under the device root; 32 bytes slots digest; audit: `Int64` first and last number kept, 32 bytes mark before the
/// first, 32 bytes mark of the last; `UInt16` length and bytes of the attempts; from version 2 on `UInt64` generation; from
/// version 4 on `UInt8` 1 where names follow, else 0; from version 3 on `UInt8` number of names, of each `UInt16` length and
/// bytes. Least significant byte first.
struct HeaderState: Hashable, Sendable {
  /// The sum over all rows of a file of format 1 or 2.
  var setHash = SetHash()
  /// The sums of a file of format 3 and later.
  var sums: HeaderSums?
  var itemCount: UInt64 = 0
  /// How many of them are under the device root; counted from format 4 on.
  var deviceItemCount: UInt64?
  var slotsDigest: [UInt8]
  var audit = AuditPosition()
  var attempts: [UInt8] = []
  /// What a counter in hardware says when the file is not an old copy (``RollbackGuard``); 0 without one.
  var generation: UInt64 = 0
  /// Who may vouch for a user's presence, by name (``AuthenticatorList``); none as long as nothing is guarded by that.
  var authenticators: [String] = []

  private static let attemptsCap = 1024

  func encode() -> [UInt8] {
    var writer = ByteWriter(capacity: 160 + attempts.count)
    if let sums {
      writer.uint8(deviceItemCount == nil ? 4 : 5)
      sums.encode(to: &writer)
    } else {
      writer.uint8(!authenticators.isEmpty ? 3 : generation == 0 ? 1 : 2)
      writer.append(setHash.bytes)
    }
    writer.uint64(itemCount)
    if sums != nil, let deviceItemCount { writer.uint64(deviceItemCount) }
    writer.append(slotsDigest)
    writer.uint64(UInt64(bitPattern: audit.first))
    writer.uint64(UInt64(bitPattern: audit.last))
    writer.append(audit.anchor)
    writer.append(audit.head)
    writer.uint16(UInt16(truncatingIfNeeded: attempts.count))
    writer.append(attempts)
    if generation > 0 || !authenticators.isEmpty || sums != nil { writer.uint64(generation) }
    if sums != nil { writer.uint8(authenticators.isEmpty ? 0 : 1) }
    if !authenticators.isEmpty { AuthenticatorList.encode(authenticators, to: &writer) }
    return writer.bytes
  }

  /// - Throws: `ByteCodingError` for anything that ``encode()`` does not make.
  static func decode(_ bytes: [UInt8]) throws(ByteCodingError) -> HeaderState {
    var reader = ByteReader(bytes)
    let version = try reader.uint8("version of a header")
    guard (1...5).contains(version) else { throw .invalidValue(field: "version of a header") }
    let sums = version >= 4 ? try HeaderSums(&reader) : nil
    let setHash = version >= 4 ? SetHash() : SetHash(bytes: try reader.bytes(SetHash.size, "sum of a header"))
    let itemCount = try reader.uint64("item count of a header")
    let deviceItemCount = version >= 5 ? try reader.uint64("count of items under the device root") : nil
    guard deviceItemCount ?? 0 <= itemCount else { throw .invalidValue(field: "count of items under the device root") }
    var state = HeaderState(
      setHash: setHash, sums: sums, itemCount: itemCount, deviceItemCount: deviceItemCount,
      slotsDigest: try reader.bytes(32, "slots digest of a header"))
    state.audit.first = Int64(bitPattern: try reader.uint64("first audit entry"))
    state.audit.last = Int64(bitPattern: try reader.uint64("last audit entry"))
    state.audit.anchor = try reader.bytes(32, "audit anchor")
    state.audit.head = try reader.bytes(32, "audit head")
    guard state.audit.isConsistent else { throw .invalidValue(field: "audit position") }
    let length = Int(try reader.uint16("length of attempts"))
    guard length <= attemptsCap else { throw .invalidValue(field: "length of attempts") }
    state.attempts = try reader.bytes(length, "attempts")
    if version > 1 {
      state.generation = try reader.uint64("generation of a header")
      guard version > 2 || state.generation > 0 else { throw .invalidValue(field: "generation of a header") }
    }
    var hasNames = version == 3
    if version >= 4 {
      let mark = try reader.uint8("names in a header")
      guard mark < 2 else { throw .invalidValue(field: "names in a header") }
      hasNames = mark == 1
    }
    if hasNames { state.authenticators = try AuthenticatorList.decode(&reader) }
    try reader.finish("header")
    return state
  }
}

// MARK: Counts

extension HeaderState {
  /// Whether there may be items under one of the roots. Where they were not counted, there may.
  func mayHaveItems(underDeviceRoot isDevice: Bool) -> Bool {
    guard let deviceItemCount else { return itemCount > 0 }
    return (isDevice ? deviceItemCount : itemCount - min(deviceItemCount, itemCount)) > 0
  }

  /// An item comes, with this number for its accessibility.
  mutating func countItem(accessibility code: Int64) {
    itemCount += 1
    if Accessibility.isUnderDeviceRoot(code: code) { deviceItemCount? += 1 }
  }

  /// An item goes.
  ///
  /// - Returns: whether there was any.
  mutating func discountItem(accessibility code: Int64) -> Bool {
    let isDevice = Accessibility.isUnderDeviceRoot(code: code)
    guard itemCount > 0, !isDevice || deviceItemCount != 0 else { return false }
    itemCount -= 1
    if isDevice { deviceItemCount? -= 1 }
    return true
  }
}

/// Where the audit chain begins and ends: entries `first` to `last` are kept, `anchor` is the mark before the first of
/// them and `head` that of the last.
struct AuditPosition: Hashable, Sendable {
  var first: Int64 = 1
  var last: Int64 = 0
  var anchor = [UInt8](repeating: 0, count: 32)
  var head = [UInt8](repeating: 0, count: 32)

  var isConsistent: Bool {
    first >= 1 && last >= first - 1 && last < Int64.max && (last >= first || anchor == head)
  }
}
