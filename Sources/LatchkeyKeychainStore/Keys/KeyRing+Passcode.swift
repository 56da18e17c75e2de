import Crypto
package import LatchkeyKeychainModel
import Synchronization

// None of these stores anything. The caller stores the records that come out, seals all rows anew, and then has the ring adopt
// them; it
// stores the state of the attempts before it tries a passcode (``AttemptState``).
extension KeyRing {
  /// Tries a passcode, which takes about 250 ms and changes nothing. Being wrong is not an error here.
  ///
  /// - Throws: `.passcodeNotSet`; `.damaged`; `.inputOutput` for want of memory.
  package func attempt(_ passcode: [UInt8]) throws(StoreError) -> PasscodeAttempt {
    guard let (record, parameters) = state.withLock({ $0.records.passcodeRecord }) else { throw .passcodeNotSet }
    var derived: Result<PasscodeKey, StoreError> = .failure(.passcodeNotSet)
    let time = PasscodeCost.processorTime {
      derived = Result { () throws(StoreError) in
        try PasscodeKey(passcode: passcode, parameters: parameters, root: root, storeUUID: storeUUID)
      }
    }
    let key = try derived.get()
    let opened = record.openUserRoot(under: key.wrapping, seal: seal).map {
      PasscodeAttempt.Opened(userRoot: $0, key: key, time: time)
    }
    return PasscodeAttempt(mark: key.mark, opened: opened, record: record)
  }

  /// Unlocks after an attempt that was right.
  ///
  /// - Throws: `.wrongPasscode` if it was not, or another process has changed the passcode since.
  package func unlock(after attempt: PasscodeAttempt) throws(StoreError) {
    try state.withLock { (state) throws(StoreError) in
      let userRoot = try Self.userRoot(of: state, by: attempt)
      var next = state
      try Self.unlock(&next, userRoot: userRoot, storeUUID: storeUUID, seal: seal)
      state = next
    }
  }

  /// ``attempt(_:)`` and ``unlock(after:)`` in one, for those who count no attempts.
  package func unlock(passcode: [UInt8]) throws(StoreError) {
    try unlock(after: try attempt(passcode))
  }

  /// The records with a costlier derivation of the same passcode, after a right attempt on a machine that can bear it, and the
  /// attempt as it counts once they are adopted; nil if it costs enough. All keys stay.
  func raisingCost(
    of passcode: [UInt8], after attempt: PasscodeAttempt
  ) throws(StoreError) -> (records: [KeyRecord], attempt: PasscodeAttempt)? {
    let before = state.withLock { $0 }
    guard let (record, parameters) = before.records.passcodeRecord, record == attempt.record,
      let opened = attempt.opened, let presence = try presenceKey(of: before, by: attempt),
      let raised = cost.raised(parameters, time: opened.time)
    else { return nil }
    let key = try PasscodeKey(passcode: passcode, parameters: raised, root: root, storeUUID: storeUUID)
    let wrapped = try Self.passcodeRecords(
      opened.userRoot, raised.encoded, presence, epoch: record.epoch, under: key, seal: seal)
    let others = before.records.all.filter { $0.kind != .userRootByPasscode && $0.kind != .presenceKey }
    return (
      [wrapped.userRoot, wrapped.presence] + others,
      PasscodeAttempt(
        mark: key.mark, opened: PasscodeAttempt.Opened(userRoot: opened.userRoot, key: key, time: opened.time),
        record: wrapped.userRoot)
    )
  }

  /// New keys under a new passcode, the first one or another. The first one makes the key of WhenPasscodeSet and the presence
  /// key.
  ///
  /// - Throws: `.wrongPasscode` if there is a passcode and the attempt is missing or not right; `.passcodeRefused`;
  ///   `.damaged` if the presence key does not open.
  package func settingPasscode(_ new: [UInt8], current: PasscodeAttempt?) throws(StoreError) -> KeyRotation {
    try PasscodeRule.judge(new, takesWeak: cost.takesWeakPasscodes)
    return try rotating(current: current, to: new)
  }

  /// New keys without a passcode: no key of WhenPasscodeSet any more, and no presence key.
  ///
  /// - Throws: `.passcodeNotSet`; `.wrongPasscode`.
  package func removingPasscode(current: PasscodeAttempt) throws(StoreError) -> KeyRotation {
    guard hasPasscode else { throw .passcodeNotSet }
    return try rotating(current: current, to: nil)
  }

  /// New keys, under this passcode or none.
  ///
  /// - Parameters:
  ///   - newRoot: the device root from now on; nil if it stays.
  ///   - recovery: who may recover the keychain from now on.
  /// - Throws: as ``settingPasscode(_:current:)``, but takes any passcode.
  func rotating(
    current: PasscodeAttempt?, to passcode: [UInt8]?, root newRoot: RootKey? = nil, recovery: RecoveryChange = .keep
  ) throws(StoreError) -> KeyRotation {
    let before = state.withLock { $0 }
    let userRoot = try Self.userRoot(of: before, by: current)
    var protection = Protection.device
    if let passcode {
      let parameters = cost.newParameters()
      let key = try PasscodeKey(
        passcode: passcode, parameters: parameters, root: newRoot ?? root, storeUUID: storeUUID)
      protection = .passcode(key, parameters)
    }
    return try rotation(
      of: before, userRoot: userRoot, presence: try presenceKey(of: before, by: current), to: protection, root: newRoot,
      recovery: recovery)
  }

  /// The user root: by an attempt against the passcode in force, or without one where no passcode is set.
  private static func userRoot(of state: State, by attempt: PasscodeAttempt?) throws(StoreError) -> SymmetricKey {
    let record = state.records.passcodeRecord?.record
    let userRoot = record == nil ? state.userRoot : (attempt?.record == record ? attempt?.opened?.userRoot : nil)
    guard let userRoot else { throw .wrongPasscode(attemptsBeforeDelay: 0) }
    return userRoot
  }
}
