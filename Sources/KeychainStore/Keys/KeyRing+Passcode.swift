import Crypto
package import KeychainModel
import Synchronization

// None of these stores anything. The caller stores the records that come out, and then has the ring adopt them; it
// stores the state of the attempts before it tries a passcode (``AttemptState``).
extension KeyRing {
  /// Tries a passcode, which takes about 250 ms and changes nothing. Being wrong is not an error here.
  ///
  /// - Throws: `.passcodeNotSet`; `.damaged`; `.inputOutput` for want of memory.
  package func attempt(_ passcode: [UInt8]) throws(StoreError) -> PasscodeAttempt {
    guard let (record, parameters) = state.withLock({ $0.records.passcodeRecord }) else { throw .passcodeNotSet }
    let key = try PasscodeKey(passcode: passcode, parameters: parameters, root: root, storeUUID: storeUUID)
    let opened = record.openUserRoot(under: key.wrapping, seal: seal).map {
      PasscodeAttempt.Opened(userRoot: $0, key: key)
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

  /// The records with a new passcode. The first one makes the key of WhenPasscodeSet and the presence key; a change
  /// rewrites the user root and the presence key.
  ///
  /// - Throws: `.wrongPasscode` if there is a passcode and the attempt is missing or not right; `.passcodeRefused`;
  ///   `.damaged` if the presence key does not open.
  package func settingPasscode(_ new: [UInt8], current: PasscodeAttempt?) throws(StoreError) -> [KeyRecord] {
    try PasscodeRule.judge(new, takesWeak: cost.takesWeakPasscodes)
    let before = state.withLock { $0 }
    let userRoot = try Self.userRoot(of: before, by: current)
    let parameters = cost.newParameters()
    let key = try PasscodeKey(passcode: new, parameters: parameters, root: root, storeUUID: storeUUID)
    let presence = try presenceKey(of: before, by: current) ?? Curve25519.KeyAgreement.PrivateKey()
    let wrapped = try passcodeRecords(userRoot, parameters.encoded, presence, under: key)
    var records = [wrapped.userRoot, wrapped.presence] + before.records.all.filter { $0.kind == .classKeys }
    if !records.contains(where: { $0.accessibility == .whenPasscodeSetThisDeviceOnly }) {
      let classWrap = userRoot.derive("class wrap", storeUUID: storeUUID)
      records.append(
        try ClassKeys(epoch: 1).sealed(for: .whenPasscodeSetThisDeviceOnly, under: classWrap, seal: seal))
    }
    return records
  }

  /// The records without a passcode: the user root by the device root alone, no key of WhenPasscodeSet any more, and no
  /// presence key.
  ///
  /// - Throws: `.passcodeNotSet`; `.wrongPasscode`.
  package func removingPasscode(current: PasscodeAttempt) throws(StoreError) -> [KeyRecord] {
    let before = state.withLock { $0 }
    guard before.records.passcodeRecord != nil else { throw .passcodeNotSet }
    let userRoot = try Self.userRoot(of: before, by: current)
    let kept = before.records.all.filter {
      $0.kind == .classKeys && $0.accessibility != .whenPasscodeSetThisDeviceOnly
    }
    return [try userRoot.sealed(as: .userRootByDevice, under: deviceWrap, seal: seal)] + kept
  }

  /// The user root: by an attempt against the passcode in force, or without one where no passcode is set.
  private static func userRoot(of state: State, by attempt: PasscodeAttempt?) throws(StoreError) -> SymmetricKey {
    let record = state.records.passcodeRecord?.record
    let userRoot = record == nil ? state.userRoot : (attempt?.record == record ? attempt?.opened?.userRoot : nil)
    guard let userRoot else { throw .wrongPasscode(attemptsBeforeDelay: 0) }
    return userRoot
  }
}
