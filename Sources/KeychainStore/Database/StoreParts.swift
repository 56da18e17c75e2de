import Crypto
import KeychainModel
import Synchronization

/// What every part of an open keychain works with: its keys and what is made of them once.
final class StoreParts: Sendable {
  let path: String
  let ring: KeyRing
  let uuid: [UInt8]
  let tags: IndexTags
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
  /// Tells old copies of the file; nil without a counter in hardware.
  let rollback: RollbackGuard?
  /// Tells that a keychain was here.
  let mark: UsedMark?

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
    tags = IndexTags(indexKey: ring.indexKey)
    sealer = RowSealer(storeUUID: uuid, setHashKey: ring.setHashKey)
    marks = SearchMarks(setHashKey: ring.setHashKey)
    auditChain = AuditChain(auditKey: ring.auditKey)
    headerSeal = HeaderSeal(key: ring.headerKey)
    constraints = ConstraintSealer(ring: ring)
    enclaveSecrets = ConstraintSealer(ring: ring, purpose: .enclave)
    enclaveSeal = RepresentationSeal(ring: ring)
  }

  /// The same with another ring.
  func with(_ ring: KeyRing) -> StoreParts {
    StoreParts(path: path, uuid: uuid, ring: ring, now: now, rollback: rollback, mark: mark)
  }
}

/// The tags of the access groups that were asked for, kept so that a caller's own few are not computed at each call.
final class GroupTags: Sendable {
  private static let cap = 1024
  private let kept = Mutex<[String: [UInt8]]>([:])

  func tag(of group: String, by tags: IndexTags) -> [UInt8] {
    if let tag = kept.withLock({ $0[group] }) { return tag }
    let tag = tags.accessGroup(group)
    kept.withLock {
      if $0.count >= Self.cap { $0.removeAll() }
      $0[group] = tag
    }
    return tag
  }
}
