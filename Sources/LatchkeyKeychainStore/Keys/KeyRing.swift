package import Crypto
import LatchkeyByteCoding
package import LatchkeyKeychainModel
import Synchronization

/// A keychain's keys as one process has them, and the lock over them.
///
/// Keys that come from the device root are always there. The others come from the user root: the WhenUnlocked ones go at
/// each lock, the AfterFirstUnlock ones stay until the process ends. A key that goes is wiped when the last call that
/// still uses it returns.
package final class KeyRing: Sendable {
  /// Makes the tags by which items under the device root are found, and all items where ``userIndex`` says so.
  package let indexKey: SymmetricKey
  /// Makes the leaves of the set hash.
  package let setHashKey: SymmetricKey
  /// Chains the audit log.
  package let auditKey: SymmetricKey
  /// Authenticates the header.
  package let headerKey: SymmetricKey
  /// Marks what the enclave hands out.
  let enclaveMark: SymmetricKey

  let root: RootKey
  let storeUUID: [UInt8]
  let cost: PasscodeCost
  let seal: RecordSeal
  let deviceWrap: SymmetricKey
  let state: Mutex<State>

  /// What changes: the records, the user root, and the keys that are there.
  struct State {
    var records: CheckedRecords
    var userRoot: SymmetricKey?
    var classKeys: [Accessibility: ClassKeys] = [:]
    /// What seals the secrets of the enclave's keys; in keychains of earlier versions that is the class's secret key.
    var enclaveKeys: [Accessibility: ClassKeys] = [:]
    /// Makes the tags of rows under the user root, from the first unlock on; nil too where the device's does.
    var userIndexKey: SymmetricKey?
    var lockState: LockState
    /// The user root of records that this process is about to store.
    var expected: (record: KeyRecord, userRoot: SymmetricKey)?
    /// Grows whenever other records are taken over.
    var generation: UInt64 = 0
  }

  /// A ring over the stored records of a keychain: unlocked without a passcode, before first unlock with one.
  ///
  /// - Throws: `.rootKeyUnavailable` if the root key opens none of them; `.damaged` if it opens only some, or they are not
  ///   a whole; passcode parameters below the floor are damage too.
  package init(
    records: [KeyRecord], storeUUID: [UInt8], root: RootKey, cost: PasscodeCost = .calibrated
  ) throws(StoreError) {
    self.root = root
    self.storeUUID = storeUUID
    self.cost = cost
    indexKey = root.derive("index", storeUUID: storeUUID)
    setHashKey = root.derive("set hash", storeUUID: storeUUID)
    headerKey = root.derive("header", storeUUID: storeUUID)
    deviceWrap = root.derive("device wrap", storeUUID: storeUUID)
    seal = RecordSeal(root: root, storeUUID: storeUUID)
    let checked = try CheckedRecords(records, seal: seal, minimumRounds: cost.minimumRounds)
    (auditKey, enclaveMark) = try Self.deviceKeys(checked.deviceRecord, root, storeUUID, under: deviceWrap, seal: seal)
    var state = State(records: checked, lockState: .beforeFirstUnlock)
    try Self.open(.always, &state, under: deviceWrap, seal: seal)
    if checked.passcodeRecord == nil {
      let userRoot = try Self.userRoot(in: checked.userRootRecord, under: deviceWrap, seal: seal)
      try Self.unlock(&state, userRoot: userRoot, storeUUID: storeUUID, seal: seal)
    }
    self.state = Mutex(state)
  }

  /// The keys of a new keychain without a passcode, and the records to store.
  package static func create(
    storeUUID: [UInt8], root: RootKey, cost: PasscodeCost = .calibrated
  ) throws(StoreError) -> (ring: KeyRing, records: [KeyRecord]) {
    let seal = RecordSeal(root: root, storeUUID: storeUUID)
    let deviceWrap = root.derive("device wrap", storeUUID: storeUUID)
    let userRoot = SymmetricKey(size: .bits256)
    let epoch = KeyRecord.ofOneGeneration
    var records = [try userRoot.sealed(as: .userRootByDevice, epoch: epoch, under: deviceWrap, seal: seal)]
    for accessibility in Accessibility.allCases where accessibility != .whenPasscodeSetThisDeviceOnly {
      let key = accessibility.isUnderDeviceRoot ? deviceWrap : userRoot.derive("class wrap", storeUUID: storeUUID)
      records.append(try ClassKeys(epoch: epoch).sealed(for: accessibility, under: key, seal: seal))
      guard accessibility.isThisDeviceOnly else { continue }
      records.append(
        try ClassKeys(epoch: epoch).sealed(as: .enclaveKeys, for: accessibility, under: key, seal: seal))
    }
    return (try KeyRing(records: records, storeUUID: storeUUID, root: root, cost: cost), records)
  }

  /// The records as they are stored.
  package var records: [KeyRecord] { state.withLock { $0.records.all } }

  /// Where the lock stands.
  package var lockState: LockState { state.withLock { $0.lockState } }

  /// Whether a passcode is set.
  package var hasPasscode: Bool { state.withLock { $0.records.passcodeRecord != nil } }

  /// The public half of the presence key: what only the passcode opens is sealed to it. Nil without a passcode, and in a
  /// keychain of format 1 until its passcode is given the next time.
  package var presencePublicKey: Curve25519.KeyAgreement.PublicKey? {
    state.withLock { $0.records.presenceRecord?.publicKey }
  }

  /// Grows whenever other records are taken over: what was made ready by the keys before is then worth nothing.
  var generation: UInt64 { state.withLock { $0.generation } }

  /// The keys of an accessibility.
  ///
  /// - Throws: `.locked` if they are not there now; `.passcodeNotSet` for the keys that exist only with a passcode.
  package func classKeys(for accessibility: Accessibility) throws(StoreError) -> ClassKeys {
    try keys(for: accessibility) { $0.classKeys[accessibility] }
  }

  /// What seals the secrets of the enclave's keys of an accessibility.
  ///
  /// - Throws: as ``classKeys(for:)``.
  func enclaveKeys(for accessibility: Accessibility) throws(StoreError) -> ClassKeys {
    try keys(for: accessibility) { state in
      state.records.enclaveRecords[accessibility] == nil
        ? state.classKeys[accessibility] : state.enclaveKeys[accessibility]
    }
  }

  private func keys(
    for accessibility: Accessibility, _ look: (State) -> ClassKeys?
  ) throws(StoreError) -> ClassKeys {
    let (keys, lockState, hasPasscode) = state.withLock {
      (look($0), $0.lockState, $0.records.passcodeRecord != nil)
    }
    if let keys { return keys }
    if accessibility == .whenPasscodeSetThisDeviceOnly, !hasPasscode { throw .passcodeNotSet }
    throw .locked(accessibility, lockState)
  }

  /// Drops the keys of the WhenUnlocked classes. A keychain without a passcode stays unlocked, and one not yet unlocked
  /// stays as it is.
  package func lock() {
    state.withLock {
      guard $0.lockState == .unlocked, $0.records.passcodeRecord != nil else { return }
      $0.userRoot = nil
      $0.classKeys = $0.classKeys.filter { $0.key.availability != .whileUnlocked }
      $0.enclaveKeys = $0.enclaveKeys.filter { $0.key.availability != .whileUnlocked }
      $0.lockState = .locked
    }
  }

  /// Opens the classes that the user root opens, and sets the lock to unlocked.
  static func unlock(
    _ state: inout State, userRoot: SymmetricKey, storeUUID: [UInt8], seal: RecordSeal
  ) throws(StoreError) {
    let key = userRoot.derive("class wrap", storeUUID: storeUUID)
    try open(.afterFirstUnlock, &state, under: key, seal: seal)
    try open(.whileUnlocked, &state, under: key, seal: seal)
    userRoot.keepInMemory()
    state.userRoot = userRoot
    state.lockState = .unlocked
  }

  static func open(
    _ availability: Accessibility.Availability, _ state: inout State, under key: SymmetricKey, seal: RecordSeal
  ) throws(StoreError) {
    func opened(_ records: [Accessibility: KeyRecord]) throws(StoreError) -> [Accessibility: ClassKeys] {
      var found: [Accessibility: ClassKeys] = [:]
      for (accessibility, record) in records where accessibility.availability == availability {
        guard var bytes = record.open(under: key, seal: seal),
          let keys = ClassKeys(consuming: &bytes, epoch: record.epoch)
        else { throw .damaged("the keys of the accessibility \(accessibility) do not open") }
        keys.keepInMemory()
        found[accessibility] = keys
      }
      return found
    }
    state.classKeys.merge(try opened(state.records.classRecords)) { $1 }
    state.enclaveKeys.merge(try opened(state.records.enclaveRecords)) { $1 }
    // A locked keychain still has to tell an item that is not there from one that is locked.
    if availability == .afterFirstUnlock { state.userIndexKey = try indexKey(of: state, under: key, seal: seal) }
  }

  /// The keys of the audit log and of the enclave's marks: those that a record carries on, or else those that come from the
  /// root.
  private static func deviceKeys(
    _ record: KeyRecord?, _ root: RootKey, _ storeUUID: [UInt8], under key: SymmetricKey, seal: RecordSeal
  ) throws(StoreError) -> (audit: SymmetricKey, enclaveMark: SymmetricKey) {
    guard let record else {
      return (root.derive("audit", storeUUID: storeUUID), root.derive("enclave", storeUUID: storeUUID))
    }
    guard var bytes = record.open(under: key, seal: seal), bytes.count == 64 else {
      throw .damaged("the keys that outlive the root key do not open")
    }
    defer { bytes.wipe() }
    return (SymmetricKey(data: bytes[..<32]), SymmetricKey(data: bytes[32...]))
  }

  static func userRoot(
    in record: KeyRecord, under key: SymmetricKey, seal: RecordSeal
  ) throws(StoreError) -> SymmetricKey {
    guard let root = record.openUserRoot(under: key, seal: seal) else { throw .damaged("the user root does not open") }
    return root
  }
}
