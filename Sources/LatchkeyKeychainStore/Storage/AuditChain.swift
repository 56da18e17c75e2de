import Crypto
import LatchkeyByteCoding

/// One entry of the audit log: what happened when, and to which item. It holds no attribute and no secret.
public struct AuditEntry: Hashable, Sendable {
  /// Its number, counted from 1 in the life of the keychain.
  public let sequence: Int64
  /// Milliseconds since 2001-01-01 00:00:00 UTC.
  public let time: Int64
  /// What happened.
  public let event: AuditEvent
  /// A keyed tag of the item's UUID, 16 bytes: the same item has the same tag, and the tag does not tell the UUID. Nil
  /// for what concerns no single item.
  public let item: [UInt8]?
  /// The version that an item had from then on; nil in entries of formats 1 and 2, and where nothing was stored.
  package var version: Int64?
  /// The first bytes of the digest of the key records that were stored with it; nil where none were.
  package var keys: [UInt8]?
}

/// What the audit log records. The numbers are part of the format: never renumber.
public enum AuditEvent: UInt8, CaseIterable, Hashable, Sendable {
  /// The keychain was made.
  case created = 1
  /// An item was added.
  case added = 2
  /// An item was changed.
  case updated = 3
  /// An item was deleted.
  case deleted = 4
  /// The keychain was unlocked by its passcode.
  case unlocked = 5
  /// A passcode is about to be tried; followed by ``unlocked`` when it was the right one.
  case unlockTried = 6
  /// A passcode was set where none was.
  case passcodeSet = 7
  /// The passcode was changed.
  case passcodeChanged = 8
  /// The passcode was removed, and with it the items that asked for one.
  case passcodeRemoved = 9
  /// What had been altered from outside was dropped, and the rest accepted.
  case repaired = 10
  /// The passcode was given to consent to the use of an item or a key.
  case consented = 11
  /// It was settled or changed who may vouch for the user.
  case authenticatorsChanged = 12
  /// All keys were changed, and every item sealed anew.
  case keysChanged = 13
  /// It was changed whose identities recover the keychain, and with that all keys.
  case recoveryChanged = 14
  /// The keychain was opened by a recovery identity.
  case recovered = 15
}

/// The keyed chain of the audit log: each entry's mark covers the entry and the mark before it.
struct AuditChain: Sendable {
  private let mac: PreparedMAC

  init(auditKey: SymmetricKey) { mac = PreparedMAC(auditKey) }

  /// What stands for an item in the log.
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
