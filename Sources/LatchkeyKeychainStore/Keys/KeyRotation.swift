import Crypto
import LatchkeyByteCoding
import LatchkeyKeychainModel
import Synchronization

/// New keys for a whole keychain: the result of setting, changing or removing its passcode, and of a rotation. Nothing is
/// stored yet.
package struct KeyRotation: Sendable {
  /// The records to store.
  package let records: [KeyRecord]
  /// The current keys, all open, which open the existing rows.
  let before: KeyRing
  /// The new keys, all open, which seal the rows again.
  let after: KeyRing
  /// The new user root.
  let userRoot: SymmetricKey
  /// The current private half of the presence key.
  let presenceKey: Curve25519.KeyAgreement.PrivateKey?

  /// Whether the device root changes as well.
  let changesRoot: Bool
}

extension KeyRing {
  /// The key that wraps the new user root.
  enum Protection {
    case device
    case passcode(PasscodeKey, ScryptParameters)
  }

  /// Generates a user root, class keys and a presence key in place of those in `state`.
  ///
  /// Secrets sealed outside the keychain's rows must remain usable, so the keys that seal the secrets of enclave keys stay, and
  /// earlier presence keys open with the new one.
  ///
  /// - Parameters:
  ///   - state: the current keys.
  ///   - presence: the current private half of the presence key, if a passcode is set.
  ///   - newRoot: the new device root; nil if it stays.
  ///   - recovery: the change of the recovery recipients.
  func rotation(
    of state: State, userRoot old: SymmetricKey, presence: Curve25519.KeyAgreement.PrivateKey?,
    to protection: Protection, root newRoot: RootKey? = nil, recovery: RecoveryChange = .keep
  ) throws(StoreError) -> KeyRotation {
    let before = try opened(state.records.all, root: root, userRoot: old)
    let last = max(state.records.userRootRecord.epoch, state.records.classRecords.values.map(\.epoch).max() ?? 0)
    guard last < UInt32.max else { throw .damaged("the keys' epoch is at its end") }
    let epoch = max(KeyRecord.ofOneGeneration, last + 1)
    let root = newRoot ?? root
    let wrapping = Wrapping(root: root, storeUUID: storeUUID, userRoot: SymmetricKey(size: .bits256))
    var records: [KeyRecord]
    var newPresence: Curve25519.KeyAgreement.PrivateKey?
    switch protection {
    case .device:
      records = [
        try wrapping.userRoot.sealed(
          as: .userRootByDevice, epoch: epoch, under: wrapping.device, seal: wrapping.seal)
      ]
    case .passcode(let key, let parameters):
      let made = Curve25519.KeyAgreement.PrivateKey()
      newPresence = made
      let sealed = try Self.passcodeRecords(
        wrapping.userRoot, parameters.encoded, made, epoch: epoch, under: key, seal: wrapping.seal)
      records = [sealed.userRoot, sealed.presence]
      records += try retired(of: state, presence, under: made, epoch: epoch, seal: wrapping.seal)
    }
    let isWithPasscode = newPresence != nil
    for accessibility in Accessibility.allCases
    where isWithPasscode || accessibility != .whenPasscodeSetThisDeviceOnly {
      records.append(
        try ClassKeys(epoch: epoch).sealed(
          for: accessibility, under: wrapping.key(of: accessibility), seal: wrapping.seal))
      guard accessibility.isThisDeviceOnly else { continue }
      records.append(
        try enclaveKeys(of: accessibility, before, epoch).sealed(
          as: .enclaveKeys, for: accessibility, under: wrapping.key(of: accessibility), seal: wrapping.seal))
    }
    if isWithPasscode {
      records.append(try Self.newIndexKey(epoch: epoch, under: wrapping.classes, seal: wrapping.seal))
    }
    if newRoot != nil || state.records.deviceRecord != nil { records.append(try deviceKeys(wrapping)) }
    let recoveryRecord = try recoveryRecord(
      of: state, userRoot: old, recovery, RecoverySeal.Keys(userRoot: wrapping.userRoot, presenceKey: newPresence),
      epoch: epoch, under: wrapping.device, seal: wrapping.seal)
    if let recoveryRecord { records.append(recoveryRecord) }
    return KeyRotation(
      records: records, before: before, after: try opened(records, root: root, userRoot: wrapping.userRoot),
      userRoot: wrapping.userRoot, presenceKey: presence, changesRoot: newRoot != nil)
  }

  /// The keys that wrap the new keys.
  private struct Wrapping {
    let userRoot: SymmetricKey
    let device: SymmetricKey
    let classes: SymmetricKey
    let seal: RecordSeal

    init(root: RootKey, storeUUID: [UInt8], userRoot: SymmetricKey) {
      self.userRoot = userRoot
      device = root.derive("device wrap", storeUUID: storeUUID)
      classes = userRoot.derive("class wrap", storeUUID: storeUUID)
      seal = RecordSeal(root: root, storeUUID: storeUUID)
    }

    func key(of accessibility: Accessibility) -> SymmetricKey {
      accessibility.isUnderDeviceRoot ? device : classes
    }
  }

  /// Creates a ring over `records`, unlocked with their user root.
  private func opened(_ records: [KeyRecord], root: RootKey, userRoot: SymmetricKey) throws(StoreError) -> KeyRing {
    let ring = try KeyRing(records: records, storeUUID: storeUUID, root: root, cost: cost)
    try ring.state.withLock { (state) throws(StoreError) in
      try Self.unlock(&state, userRoot: userRoot, storeUUID: storeUUID, seal: ring.seal)
    }
    return ring
  }

  /// Carries over the keys that seal the secrets of enclave keys; the one of WhenPasscodeSet is created with the first
  /// passcode.
  private func enclaveKeys(
    of accessibility: Accessibility, _ before: KeyRing, _ epoch: UInt32
  ) throws(StoreError) -> ClassKeys {
    if accessibility == .whenPasscodeSetThisDeviceOnly, !before.hasPasscode { return ClassKeys(epoch: epoch) }
    let kept = try before.enclaveKeys(for: accessibility)
    return ClassKeys(keeping: kept.secret, epoch: kept.epoch)
  }

  private func deviceKeys(_ wrapping: Wrapping) throws(StoreError) -> KeyRecord {
    var bytes = auditKey.exposedBytes(and: enclaveMark)
    defer { bytes.wipe() }
    return try KeyRecord.seal(bytes, kind: .deviceKeys, epoch: 1, under: wrapping.device, seal: wrapping.seal)
  }
}
