import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeyUserPresence

/// The sealed part of the header: the sums over all rows, their count, the digest of the key slots, the state of the passcode
/// attempts, the position of the audit chain, and the accepted authenticators.
///
/// `UInt8` version 1 to 5; 32 bytes sum, from version 4 on ``HeaderSums`` in its place; `UInt64` items; in version 5 `UInt64`
/// items under the device root; 32 bytes slots digest; audit: `Int64` first and last stored number, 32 bytes mark before the
/// first, 32 bytes mark of the last; `UInt16` length and bytes of the attempts; from version 2 on `UInt64` generation; from
/// version 4 on `UInt8` 1 if names follow, else 0; from version 3 on `UInt8` number of names, for each `UInt16` length and
/// bytes. Least significant byte first.
struct HeaderState: Hashable, Sendable {
  /// The sum over all rows, in formats 1 and 2.
  var setHash = SetHash()
  /// The sums in format 3 and later.
  var sums: HeaderSums?
  var itemCount: UInt64 = 0
  /// The number of items under the device root; counted from format 4 on.
  var deviceItemCount: UInt64?
  var slotsDigest: [UInt8]
  var audit = AuditPosition()
  var attempts: [UInt8] = []
  /// The value of a hardware counter by which an old copy of the file is detected (``RollbackGuard``); 0 without one.
  var generation: UInt64 = 0
  /// The names of the authenticators whose assertion of presence is accepted (``AuthenticatorList``); empty while no item
  /// depends on one.
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

  /// - Throws: `ByteCodingError` for anything that ``encode()`` does not produce.
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
  /// Whether items may exist under one of the roots. True for a non-empty keychain whose format does not count them separately.
  func mayHaveItems(underDeviceRoot isDevice: Bool) -> Bool {
    guard let deviceItemCount else { return itemCount > 0 }
    return (isDevice ? deviceItemCount : itemCount - min(deviceItemCount, itemCount)) > 0
  }

  /// Counts an added item with this accessibility code.
  mutating func countItem(accessibility code: Int64) {
    itemCount += 1
    if Accessibility.isUnderDeviceRoot(code: code) { deviceItemCount? += 1 }
  }

  /// Counts a removed item with this accessibility code.
  ///
  /// - Returns: false if the count was zero already.
  mutating func discountItem(accessibility code: Int64) -> Bool {
    let isDevice = Accessibility.isUnderDeviceRoot(code: code)
    guard itemCount > 0, !isDevice || deviceItemCount != 0 else { return false }
    itemCount -= 1
    if isDevice { deviceItemCount? -= 1 }
    return true
  }
}

/// The bounds of the audit chain: entries `first` to `last` are stored, `anchor` is the mark before the first of them, and
/// `head` is the mark of the last.
struct AuditPosition: Hashable, Sendable {
  var first: Int64 = 1
  var last: Int64 = 0
  var anchor = [UInt8](repeating: 0, count: 32)
  var head = [UInt8](repeating: 0, count: 32)

  var isConsistent: Bool {
    first >= 1 && last >= first - 1 && last < Int64.max && (last >= first || anchor == head)
  }
}
