package import Crypto
public import LatchkeyKeychainModel
import LatchkeyUserPresence
import Synchronization

// Making a passcode into a key costs a quarter of a second: it happens outside of any transaction, and what came of it is
// stored only if the key records are still those it was made from.
extension KeychainDatabase {
  /// Unlocks the keychain in this process. The attempt is on disk before it is made.
  ///
  /// - Throws: `.wrongPasscode`, `.passcodeDelayed` after too many of them, `.passcodeNotSet`.
  public func unlock(passcode: [UInt8]) throws(StoreError) {
    try unlock(passcode, isTrusted: false)
  }

  /// The same with a passcode that was not typed: from a credential of the service, or from a file that is its user's alone.
  /// It does not wait for what somebody has typed wrong, and being wrong it makes nobody wait: who can give it has no need to
  /// guess through this call. Being right it ends the wait.
  ///
  /// - Throws: `.wrongPasscode`, `.passcodeNotSet`.
  package func unlock(trustedPasscode: [UInt8]) throws(StoreError) {
    try unlock(trustedPasscode, isTrusted: true)
  }

  private func unlock(_ passcode: [UInt8], isTrusted: Bool) throws(StoreError) {
    let attempt = raisingCost(
      of: passcode,
      after: try tried(passcode, event: .unlocked, addsPresenceKey: true, isTrusted: isTrusted))
    do {
      try retireCopies()
    } catch  where error.meansNothingCanBeWritten || verified.withLock({ $0.broken != nil }) {
      // The next unlock that can write makes up for it.
    }
    try parts.ring.unlock(after: attempt)
    renewEarlierTags(passcode, after: attempt)
  }

  /// Makes the passcode costlier to guess where the machine can bear it: one that was set on a slower one, or by an earlier
  /// version. Where that cannot be stored, it stays as it was.
  private func raisingCost(of passcode: [UInt8], after attempt: PasscodeAttempt) -> PasscodeAttempt {
    guard !configuration.isReadOnly, let digest = try? soundHeader().state.slotsDigest,
      let raised = try? parts.ring.raisingCost(of: passcode, after: attempt)
    else { return attempt }
    do throws(StoreError) {
      try writing(changingKeys: true) { (transaction) throws(StoreError) in
        guard transaction.header.state.slotsDigest == digest else { throw .busy(path: transaction.parts.path) }
        try transaction.replaceSlots(raised.records)
      }
      return raised.attempt
    } catch {
      return attempt
    }
  }

  /// Makes all keys and tags anew where an earlier version made the tags by the device root alone: they hang on the passcode then.
  /// Where that cannot be done now, they stay as they are until the next unlock.
  private func renewEarlierTags(_ passcode: [UInt8], after attempt: PasscodeAttempt) {
    guard parts.ring.hasEarlierTags, !configuration.isReadOnly, !pool.isImmutable,
      let digest = try? soundHeader().state.slotsDigest,
      let rotation = try? parts.ring.rotating(current: attempt, to: passcode)
    else { return }
    try? changeKeys(to: rotation, from: digest, event: .keysChanged) { _ in }
  }

  /// The private half of the presence key, for anyone who has the passcode. The attempt counts as one to unlock does, and
  /// the lock stays as it is.
  ///
  /// - Throws: as ``unlock(passcode:)``; `.readOnly` if there is no presence key yet and none can be made; `.damaged`.
  package func presenceKey(passcode: [UInt8]) throws(StoreError) -> Curve25519.KeyAgreement.PrivateKey {
    let attempt = try tried(passcode, event: .consented, addsPresenceKey: true)
    if configuration.isReadOnly, parts.ring.presencePublicKey == nil { throw .readOnly(path: path) }
    return try parts.ring.presenceKey(after: attempt)
  }

  /// Sets a passcode, or changes it: from then on a process starts before its first unlock. This one stays as it is; others
  /// stand before their first unlock again.
  ///
  /// All keys are made anew and all items sealed by them, in one transaction, during which others wait to write but not to
  /// read. When it returns, nothing in the file, in its log or in free pages opens by what was valid before.
  ///
  /// - Parameters:
  ///   - new: at least 8 characters.
  ///   - current: the passcode in force; nil if there is none. Where biometry guards something already, those who may vouch
  ///     is asked then: else somebody else could set a passcode and give it in the place of biometry.
  ///   - progress: called with the progress, now and then, in the thread that writes.
  /// - Throws: `.passcodeRefused`, and with a passcode in force as ``unlock(passcode:)``; `.inputOutput` if it is done, but
  ///   another process's reading keeps the log.
  public func setPasscode(
    _ new: [UInt8], current: [UInt8]?, progress: @escaping @Sendable (RotationProgress) -> Void = { _ in }
  ) throws(StoreError) {
    let digest = try soundHeader().state.slotsDigest
    let hadPasscode = parts.ring.hasPasscode
    var attempt: PasscodeAttempt?
    if hadPasscode {
      attempt = try tried(current ?? [], event: nil)
    } else {
      try presenceAuthority.confirmFirstPasscode()
    }
    try changeKeys(
      to: try parts.ring.settingPasscode(new, current: attempt), from: digest,
      event: hadPasscode ? .passcodeChanged : .passcodeSet, progress)
    try settle(after: "the passcode was set")
  }

  /// Removes the passcode, and with it all items of the accessibility `whenPasscodeSetThisDeviceOnly` and all items and
  /// keys of the enclave that are bound to the passcode: what opens them is destroyed. The keychain is unlocked then, and all
  /// its keys are new, as with ``setPasscode(_:current:progress:)``.
  ///
  /// - Throws: as ``setPasscode(_:current:progress:)``.
  public func removePasscode(
    current: [UInt8], progress: @escaping @Sendable (RotationProgress) -> Void = { _ in }
  ) throws(StoreError) {
    let digest = try soundHeader().state.slotsDigest
    let rotation = try parts.ring.removingPasscode(current: try tried(current, event: nil))
    try changeKeys(to: rotation, from: digest, event: .passcodeRemoved, progress)
    try settle(after: "the passcode was removed")
  }

  /// The state of a file that was found sound.
  func soundHeader() throws(StoreError) -> Header {
    try reading { (connection) throws(StoreError) in
      try readingSnapshot(connection) { (_, known) throws(StoreError) in
        if let damage = known.damage { throw .damaged(damage) }
        return known.header
      }
    }
  }

  /// Tries a passcode, counted before and after. A keychain of an early format gets its presence key with the right one, if
  /// `addsPresenceKey`. A file that cannot be written counts nothing: what slows guesses down
  /// there is their cost.
  ///
  /// - Throws: `.wrongPasscode`, `.passcodeDelayed`, `.passcodeNotSet`.
  func tried(
    _ passcode: [UInt8], event: AuditEvent?, addsPresenceKey: Bool = false, isTrusted: Bool = false
  ) throws(StoreError) -> PasscodeAttempt {
    if configuration.isReadOnly || pool.isImmutable { return try triedUncounted(passcode, isTrusted: isTrusted) }
    do {
      if !isTrusted { try beginAttempt() }
    } catch  where error.meansNothingCanBeWritten || verified.withLock({ $0.broken != nil }) {
      return try triedUncounted(passcode, isTrusted: isTrusted)
    }
    let attempt = try parts.ring.attempt(passcode)
    do throws(StoreError) {
      return try counted(attempt, event, addsPresenceKey: addsPresenceKey, isTrusted: isTrusted)
    } catch  where attempt.isRight && (error.meansNothingCanBeWritten || verified.withLock({ $0.broken != nil })) {
      return attempt
    }
  }

  /// Counts an attempt after it was made.
  private func counted(
    _ attempt: PasscodeAttempt, _ event: AuditEvent?, addsPresenceKey: Bool, isTrusted: Bool
  ) throws(StoreError) -> PasscodeAttempt {
    let (left, counted) = try writing { (transaction) throws(StoreError) -> (Int, PasscodeAttempt) in
      let state = try transaction.header.state.attemptState
      if attempt.isRight {
        transaction.header.state.attempts = []
        if event == .unlocked, isTrusted {
          try transaction.logTrustedUnlock()
        } else if let event {
          try transaction.log(event)
        }
        // Records that another request has just written are not the ring's yet: the next right passcode will do.
        if addsPresenceKey, transaction.newSlots == nil,
          let added = try transaction.parts.ring.addingPresenceKey(after: attempt)
        {
          try transaction.replaceSlots(added.records)
          return (0, added.attempt)
        }
        return (0, attempt)
      }
      if isTrusted { return (state.attemptsBeforeDelay, attempt) }
      let failed = state.failed(mark: attempt.mark)
      transaction.header.state.attempts = failed.encoded
      return (failed.attemptsBeforeDelay, attempt)
    }
    if !counted.isRight { throw .wrongPasscode(attemptsBeforeDelay: left) }
    return counted
  }

  /// Tries a passcode where nothing can be written. A delay that was counted before holds here too.
  private func triedUncounted(_ passcode: [UInt8], isTrusted: Bool) throws(StoreError) -> PasscodeAttempt {
    let state = try soundHeader().state.attemptState
    if !isTrusted { try state.validateAttempt(now: parts.now()) }
    let attempt = try parts.ring.attempt(passcode)
    if !attempt.isRight { throw .wrongPasscode(attemptsBeforeDelay: state.attemptsBeforeDelay) }
    return attempt
  }

  private func beginAttempt() throws(StoreError) {
    let delay = try writing { (transaction) throws(StoreError) -> Double in
      guard transaction.parts.ring.hasPasscode else { throw .passcodeNotSet }
      let now = transaction.parts.now()
      let state = try transaction.header.state.attemptState
      let left = state.delayLeft(now: now)
      if left > 0 {
        // A clock that was ahead once must not lock the user out for longer than the delay.
        let anchored = state.anchored(now: now)
        if anchored != state { transaction.header.state.attempts = anchored.encoded }
        return left
      }
      transaction.header.state.attempts = try state.beginning(now: now).encoded
      try transaction.log(.unlockTried)
      return 0
    }
    if delay > 0 { throw .passcodeDelayed(seconds: delay) }
  }
}

extension StoreError {
  /// Whether a write failed for want of room, or on a medium that takes none: then finding and unlocking go on.
  var meansNothingCanBeWritten: Bool {
    switch self {
    case .diskFull, .readOnly: true
    default: false
    }
  }
}

extension HeaderState {
  /// The passcode attempts; none where nothing is stored.
  var attemptState: AttemptState {
    get throws(StoreError) { attempts.isEmpty ? .none : try AttemptState(encoded: attempts) }
  }
}
