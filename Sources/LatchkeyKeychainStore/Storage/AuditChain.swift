import Crypto
import LatchkeyByteCoding

/// One entry of the audit log: event, time and item. It holds no attribute and no secret.
public struct AuditEntry: Hashable, Sendable {
  /// The entry's number, counted from 1 over the life of the keychain.
  public let sequence: Int64
  /// The time in milliseconds since 2001-01-01 00:00:00 UTC.
  public let time: Int64
  /// The event.
  public let event: AuditEvent
  /// A keyed tag of the item's UUID, 16 bytes: one item always has the same tag, and the tag does not reveal the UUID. Nil for
  /// events that concern no single item.
  public let item: [UInt8]?
  /// The item's version after the event; nil in entries of formats 1 and 2, and if nothing was stored.
  package var version: Int64?
  /// A prefix of the digest of the key records that were stored with the entry; nil if none were.
  package var keys: [UInt8]?
}

/// The events that the audit log records. The raw values are part of the file format: never renumber.
public enum AuditEvent: UInt8, CaseIterable, Hashable, Sendable {
  /// The keychain was created.
  case created = 1
  /// An item was added.
  case added = 2
  /// An item was changed.
  case updated = 3
  /// An item was deleted.
  case deleted = 4
  /// The keychain was unlocked by its passcode.
  case unlocked = 5
  /// A passcode is about to be tried; ``unlocked`` follows if it was right.
  case unlockTried = 6
  /// The first passcode was set.
  case passcodeSet = 7
  /// The passcode was changed.
  case passcodeChanged = 8
  /// The passcode was removed, and with it the items that require one.
  case passcodeRemoved = 9
  /// Records altered from outside were dropped, and the rest accepted.
  case repaired = 10
  /// The passcode was entered as consent to the use of an item or a key.
  case consented = 11
  /// The list of accepted authenticators was set or changed.
  case authenticatorsChanged = 12
  /// All keys were replaced, and every item was sealed again.
  case keysChanged = 13
  /// The recovery recipients were changed, and all keys with them.
  case recoveryChanged = 14
  /// A recovery identity opened the keychain.
  case recovered = 15
}

/// The keyed chain of the audit log: each entry's mark covers the entry and the mark before it.
struct AuditChain: Sendable {
  private let mac: PreparedMAC

  init(auditKey: SymmetricKey) { mac = PreparedMAC(auditKey) }

  /// Returns the tag that identifies an item in the log.
  func tag(ofItem uuid: [UInt8]) -> [UInt8] { mac.tag([1] + uuid) }

  /// The mark of `entry` after an entry marked `previous`.
  func mark(_ entry: AuditEntry, after previous: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: 72)
    writer.uint8(2)
    writer.append(previous)
    writer.uint64(UInt64(bitPattern: entry.sequence))
    writer.uint64(UInt64(bitPattern: entry.time))
    writer.uint8(entry.event.rawValue)
    if let item = entry.item { writer.append(item) }
    if let keys = entry.keys { writer.append(keys) }
    if let version = entry.version { writer.uint64(UInt64(bitPattern: version)) }
    return mac.code(writer.bytes)
  }
}
