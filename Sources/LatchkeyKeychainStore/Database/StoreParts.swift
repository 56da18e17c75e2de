import Crypto
import LatchkeyKeychainModel
import Synchronization

/// The keys of an open keychain, and the objects that are made of them once.
final class StoreParts: Sendable {
  let path: String
  let ring: KeyRing
  let uuid: [UInt8]
  let sealer: RowSealer
  let marks: SearchMarks
  let auditChain: AuditChain
  let headerSeal: HeaderSeal
  /// Seals the data keys of constrained items.
  let constraints: ConstraintSealer
  /// Seals the secrets of the enclave's keys.
  let enclaveSecrets: ConstraintSealer
  /// Marks the representations of the enclave's keys.
  let enclaveSeal: RepresentationSeal
  let now: @Sendable () -> Double
  /// Detects old copies of the file; nil without a counter in hardware.
  let rollback: RollbackGuard?
  /// Marks that a keychain was here.
  let mark: UsedMark?
  private let deviceTags: IndexTags
  /// Those of the rows under the user root, made once for each key.
  private let userTags = Mutex<(key: SymmetricKey, tags: IndexTags)?>(nil)

  init(
    path: String, uuid: [UInt8], ring: KeyRing, now: @escaping @Sendable () -> Double, rollback: RollbackGuard? = nil,
    mark: UsedMark? = nil
  ) {
    self.mark = mark
    self.rollback = rollback
    self.path = path
    self.uuid = uuid
    self.ring = ring
    self.now = now
    deviceTags = IndexTags(indexKey: ring.indexKey)
    sealer = RowSealer(storeUUID: uuid, setHashKey: ring.setHashKey)
    marks = SearchMarks(setHashKey: ring.setHashKey)
    auditChain = AuditChain(auditKey: ring.auditKey)
    headerSeal = HeaderSeal(key: ring.headerKey)
    constraints = ConstraintSealer(ring: ring)
    enclaveSecrets = ConstraintSealer(ring: ring, purpose: .enclave)
    enclaveSeal = RepresentationSeal(ring: ring)
  }

  /// The tags of rows under the keys that the ring has now.
  var tags: RowTags {
    switch ring.userIndex {
    case .device:
      userTags.withLock { $0 = nil }
      return RowTags(all: deviceTags)
    case .unknown:
      userTags.withLock { $0 = nil }
      return RowTags(device: deviceTags, user: nil)
    case .own(let key):
      let tags = userTags.withLock { kept in
        if let kept, kept.key == key { return kept.tags }
        let made = IndexTags(indexKey: key)
        kept = (key, made)
        return made
      }
      return RowTags(device: deviceTags, user: tags)
    }
  }

  /// The same with another ring.
  func with(_ ring: KeyRing) -> StoreParts {
    StoreParts(path: path, uuid: uuid, ring: ring, now: now, rollback: rollback, mark: mark)
  }
}
