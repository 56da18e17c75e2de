package import Crypto
package import KeychainModel
import Synchronization

/// A keychain's keys as one process has them, and the lock over them.
///
/// Keys that come from the device root are always there. The others come from the user root: the WhenUnlocked ones go at
/// each lock, the AfterFirstUnlock ones stay until the process ends. A key that goes is wiped when the last call that
/// still uses it returns.
package final class KeyRing: Sendable {
  /// Makes the tags by which items are found.
  package let indexKey: SymmetricKey
  /// Makes the leaves of the set hash.
  package let setHashKey: SymmetricKey
  /// Chains the audit log.
  package let auditKey: SymmetricKey
  /// Authenticates the header.
  package let headerKey: SymmetricKey

  let root: RootKey
  let storeUUID: [UInt8]
  let cost: PasscodeCost
  let seal: RecordSeal
  let deviceWrap: SymmetricKey
  let state: Mutex<State>

  /// What changes: the records, the user root, and the class keys that are there.
  struct State {
    var records: CheckedRecords
    var userRoot: SymmetricKey?
    var classKeys: [Accessibility: ClassKeys] = [:]
    var lockState: LockState
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
    auditKey = root.derive("audit", storeUUID: storeUUID)
    headerKey = root.derive("header", storeUUID: storeUUID)
    deviceWrap = root.derive("device wrap", storeUUID: storeUUID)
    seal = RecordSeal(root: root, storeUUID: storeUUID)
    let checked = try CheckedRecords(records, seal: seal, minimumRounds: cost.minimumRounds)
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
    var records = [try userRoot.sealed(as: .userRootByDevice, under: deviceWrap, seal: seal)]
    for accessibility in Accessibility.allCases where accessibility != .whenPasscodeSetThisDeviceOnly {
      let key = accessibility.isUnderDeviceRoot ? deviceWrap : userRoot.derive("class wrap", storeUUID: storeUUID)
      records.append(try ClassKeys(epoch: 1).sealed(for: accessibility, under: key, seal: seal))
    }
    return (try KeyRing(records: records, storeUUID: storeUUID, root: root, cost: cost), records)
  }

  /// Where the lock stands.
  package var lockState: LockState { state.withLock { $0.lockState } }

  /// Whether a passcode is set.
  package var hasPasscode: Bool { state.withLock { $0.records.passcodeRecord != nil } }

  /// The public half of the presence key: what only the passcode opens is sealed to it. Nil without a passcode, and in a
  /// keychain of format 1 until its passcode is given the next time.
  package var presencePublicKey: Curve25519.KeyAgreement.PublicKey? {
    state.withLock { $0.records.presenceRecord?.publicKey }
  }

  /// The keys of an accessibility.
  ///
  /// - Throws: `.locked` if they are not there now; `.passcodeNotSet` for the keys that exist only with a passcode.
  package func classKeys(for accessibility: Accessibility) throws(StoreError) -> ClassKeys {
    let (keys, lockState, hasPasscode) = state.withLock {
      ($0.classKeys[accessibility], $0.lockState, $0.records.passcodeRecord != nil)
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
      $0.lockState = .locked
    }
  }

  /// Takes over records that another process, or ``settingPasscode(_:current:)`` and ``removingPasscode(current:)``, has
  /// stored. The lock stays as it is, unless no passcode is set any more: then it opens.
  ///
  /// - Throws: `.damaged`, with the ring as it was.
  package func adopt(_ records: [KeyRecord]) throws(StoreError) {
    let checked: CheckedRecords
    do {
      checked = try CheckedRecords(records, seal: seal, minimumRounds: cost.minimumRounds)
    } catch .rootKeyUnavailable(let text) {
      throw .damaged(text)
    }
    try state.withLock { (state) throws(StoreError) in
      var next = state
      next.records = checked
      try Self.open(.always, &next, under: deviceWrap, seal: seal)
      if checked.passcodeRecord == nil {
        next.userRoot = try Self.userRoot(in: checked.userRootRecord, under: deviceWrap, seal: seal)
        next.classKeys[.whenPasscodeSetThisDeviceOnly] = nil
      }
      if let userRoot = next.userRoot {
        try Self.unlock(&next, userRoot: userRoot, storeUUID: storeUUID, seal: seal)
      }
      state = next
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

  private static func open(
    _ availability: Accessibility.Availability, _ state: inout State, under key: SymmetricKey, seal: RecordSeal
  ) throws(StoreError) {
    for (accessibility, record) in state.records.classRecords where accessibility.availability == availability {
      guard var bytes = record.open(under: key, seal: seal),
        let keys = ClassKeys(consuming: &bytes, epoch: record.epoch)
      else { throw .damaged("the keys of the accessibility \(accessibility) do not open") }
      state.classKeys[accessibility] = keys
    }
  }

  private static func userRoot(
    in record: KeyRecord, under key: SymmetricKey, seal: RecordSeal
  ) throws(StoreError) -> SymmetricKey {
    guard let root = record.openUserRoot(under: key, seal: seal) else { throw .damaged("the user root does not open") }
    return root
  }
}
