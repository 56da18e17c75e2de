import Crypto
package import LatchkeyKeychainModel
import Synchronization

// None of these functions stores anything. The caller stores the returned records, seals all rows again, and then has the ring
// adopt the records. It stores the state of the attempts before it tries a passcode (``AttemptState``).
extension KeyRing {
  /// Tries a passcode, which takes about 250 ms and changes nothing. A wrong passcode is not an error here.
  ///
  /// - Throws: `.passcodeNotSet`; `.damaged`; `.inputOutput` if memory is short.
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

  /// Unlocks after a successful attempt.
  ///
  /// - Throws: `.wrongPasscode` if the attempt failed, or another process has changed the passcode since.
  package func unlock(after attempt: PasscodeAttempt) throws(StoreError) {
    try state.withLock { (state) throws(StoreError) in
      let userRoot = try Self.userRoot(of: state, by: attempt)
      var next = state
      try Self.unlock(&next, userRoot: userRoot, storeUUID: storeUUID, seal: seal)
      state = next
    }
  }

  /// Calls ``attempt(_:)`` and ``unlock(after:)``, for callers that count no attempts.
  package func unlock(passcode: [UInt8]) throws(StoreError) {
    try unlock(after: try attempt(passcode))
  }

  /// Raises the derivation cost of the same passcode after a successful attempt, if this machine is fast enough. Returns the
  /// records, and the attempt in the form that is valid once they are adopted; nil if the cost suffices. All keys stay.
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

  /// Creates new keys under a new passcode. The first passcode creates the key of WhenPasscodeSet and the presence key.
  ///
  /// - Throws: `.wrongPasscode` if a passcode is set and the attempt is missing or failed; `.passcodeRefused`; `.damaged` if
  ///   the presence key does not open.
  package func settingPasscode(_ new: [UInt8], current: PasscodeAttempt?) throws(StoreError) -> KeyRotation {
    try PasscodeRule.validate(new, takesWeak: cost.takesWeakPasscodes)
    return try rotating(current: current, to: new)
  }

  /// Creates new keys without a passcode, and thus without the key of WhenPasscodeSet and the presence key.
  ///
  /// - Throws: `.passcodeNotSet`; `.wrongPasscode`.
  package func removingPasscode(current: PasscodeAttempt) throws(StoreError) -> KeyRotation {
    guard hasPasscode else { throw .passcodeNotSet }
    return try rotating(current: current, to: nil)
  }

  /// Creates new keys under this passcode, or without one.
  ///
  /// - Parameters:
  ///   - newRoot: the new device root; nil if it stays.
  ///   - recovery: the change of the recovery recipients.
  /// - Throws: as ``settingPasscode(_:current:)``, but accepts any passcode.
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

  /// The user root: from an attempt against the current passcode, or from the state if no passcode is set.
  private static func userRoot(of state: State, by attempt: PasscodeAttempt?) throws(StoreError) -> SymmetricKey {
    let record = state.records.passcodeRecord?.record
    let userRoot = record == nil ? state.userRoot : (attempt?.record == record ? attempt?.opened?.userRoot : nil)
    guard let userRoot else { throw .wrongPasscode(attemptsBeforeDelay: 0) }
    return userRoot
  }
}
