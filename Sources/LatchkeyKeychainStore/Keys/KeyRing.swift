package import Crypto
import LatchkeyByteCoding
package import LatchkeyKeychainModel
import Synchronization

/// A keychain's keys in one process, and their lock.
///
/// Keys under the device root are always available. The others require the user root: the WhenUnlocked keys are dropped at each
/// lock, the AfterFirstUnlock keys stay until the process ends. A dropped key is wiped when the last call that uses it returns.
package final class KeyRing: Sendable {
  /// Makes the search tags of items under the device root, and of all items if ``userIndex`` is `.device`.
  package let indexKey: SymmetricKey
  /// Makes the leaves of the set hash.
  package let setHashKey: SymmetricKey
  /// Chains the audit log.
  package let auditKey: SymmetricKey
  /// Authenticates the header.
  package let headerKey: SymmetricKey
  /// Authenticates the enclave's key representations.
  let enclaveMark: SymmetricKey

  let root: RootKey
  let storeUUID: [UInt8]
  let cost: PasscodeCost
  let seal: RecordSeal
  let deviceWrap: SymmetricKey
  let state: Mutex<State>

  /// The mutable state: the records, the user root, and the available keys.
  struct State {
    var records: CheckedRecords
    var userRoot: SymmetricKey?
    var classKeys: [Accessibility: ClassKeys] = [:]
    /// The keys that seal the secrets of enclave keys; keychains of earlier versions use the class's secret key instead.
    var enclaveKeys: [Accessibility: ClassKeys] = [:]
    /// Makes the tags of rows under the user root, from the first unlock on; nil also if the device's index key makes them.
    var userIndexKey: SymmetricKey?
    var lockState: LockState
    /// The user root of the records that this process is about to store.
    var expected: (record: KeyRecord, userRoot: SymmetricKey)?
    /// Increases whenever other records are adopted.
    var generation: UInt64 = 0
  }

  /// Creates a ring over the stored records of a keychain: unlocked without a passcode, before first unlock with one.
  ///
  /// - Throws: `.rootKeyUnavailable` if the root key authenticates none of them; `.damaged` if it authenticates only some, if
  ///   they are incomplete, or if passcode parameters are below the floor.
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

  /// Generates the keys of a new keychain without a passcode, and the records to store.
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

  /// The current lock state.
  package var lockState: LockState { state.withLock { $0.lockState } }

  /// Whether a passcode is set.
  package var hasPasscode: Bool { state.withLock { $0.records.passcodeRecord != nil } }

  /// The public half of the presence key, to which secrets that only the passcode opens are sealed. Nil without a passcode, and
  /// in a keychain of format 1 until its passcode is next entered.
  package var presencePublicKey: Curve25519.KeyAgreement.PublicKey? {
    state.withLock { $0.records.presenceRecord?.publicKey }
  }

  /// Increases whenever other records are adopted, which invalidates anything prepared with the previous keys.
  var generation: UInt64 { state.withLock { $0.generation } }

  /// Returns the keys of an accessibility.
  ///
  /// - Throws: `.locked` if they are unavailable now; `.passcodeNotSet` for keys that exist only with a passcode.
  package func classKeys(for accessibility: Accessibility) throws(StoreError) -> ClassKeys {
    try keys(for: accessibility) { $0.classKeys[accessibility] }
  }

  /// Returns the keys that seal the secrets of an accessibility's enclave keys.
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

  /// Drops the keys of the WhenUnlocked classes. A keychain without a passcode stays unlocked, and one that was not unlocked
  /// yet stays as it is.
  package func lock() {
    state.withLock {
      guard $0.lockState == .unlocked, $0.records.passcodeRecord != nil else { return }
      $0.userRoot = nil
      $0.classKeys = $0.classKeys.filter { $0.key.availability != .whileUnlocked }
      $0.enclaveKeys = $0.enclaveKeys.filter { $0.key.availability != .whileUnlocked }
      $0.lockState = .locked
    }
  }

  /// Opens the classes under the user root, and sets the lock state to unlocked.
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
    // A locked keychain must still distinguish a missing item from a locked one.
    if availability == .afterFirstUnlock { state.userIndexKey = try indexKey(of: state, under: key, seal: seal) }
  }

  /// The keys of the audit log and of the enclave's marks: from the record that preserves them, or else derived from the root.
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
