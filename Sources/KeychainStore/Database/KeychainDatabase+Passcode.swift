package import Crypto
public import KeychainModel

// Making a passcode into a key takes a quarter of a second: it happens outside of any transaction, and what came of it is
// stored only if the key records are still those it was made from.
extension KeychainDatabase {
  /// Unlocks the keychain in this process. The attempt is on disk before it is made.
  ///
  /// - Throws: `.wrongPasscode`, `.passcodeDelayed` after too many of them, `.passcodeNotSet`.
  public func unlock(passcode: [UInt8]) throws(StoreError) {
    let attempt = try tried(passcode, event: .unlocked, addsPresenceKey: true)
    do {
      try retireCopies()
    } catch  where error.meansNothingCanBeWritten {
      // The next unlock that can write makes up for it.
    }
    try parts.ring.unlock(after: attempt)
  }

  /// The private half of the presence key, for whoever has the passcode. The attempt counts as one to unlock does, and
  /// the lock stays as it is.
  ///
  /// - Throws: as ``unlock(passcode:)``; `.readOnly` if there is no presence key yet and none can be made; `.damaged`.
  package func presenceKey(passcode: [UInt8]) throws(StoreError) -> Curve25519.KeyAgreement.PrivateKey {
    let attempt = try tried(passcode, event: .consented, addsPresenceKey: true)
    if configuration.isReadOnly, parts.ring.presencePublicKey == nil { throw .readOnly(path: path) }
    return try parts.ring.presenceKey(after: attempt)
  }

  /// Sets a passcode, or changes it: from then on a process starts before its first unlock. This one stays as it is.
  ///
  /// - Parameters:
  ///   - new: at least 8 characters.
  ///   - current: the passcode in force; nil if there is none. Where biometry guards something already, whoever may vouch
  ///     is asked then: else somebody else could set a passcode and give it in the place of biometry.
  /// - Throws: `.passcodeRefused`, and with a passcode in force as ``unlock(passcode:)``.
  public func setPasscode(_ new: [UInt8], current: [UInt8]?) throws(StoreError) {
    let digest = try soundHeader().state.slotsDigest
    let hadPasscode = parts.ring.hasPasscode
    var attempt: PasscodeAttempt?
    if hadPasscode {
      attempt = try tried(current ?? [], event: nil)
    } else {
      try presenceAuthority.confirmFirstPasscode()
    }
    let records = try parts.ring.settingPasscode(new, current: attempt)
    try writing { (transaction) throws(StoreError) in
      guard transaction.header.state.slotsDigest == digest else { throw .busy(path: transaction.parts.path) }
      try transaction.replaceSlots(records)
      try transaction.log(hadPasscode ? .passcodeChanged : .passcodeSet)
    }
    try retireCopies()
  }

  /// Removes the passcode, and with it all items of the accessibility `whenPasscodeSetThisDeviceOnly` and all items and
  /// keys of the enclave that are bound to the passcode: what opens them is destroyed. The keychain is unlocked then.
  ///
  /// - Throws: as ``unlock(passcode:)``.
  public func removePasscode(current: [UInt8]) throws(StoreError) {
    let digest = try soundHeader().state.slotsDigest
    let records = try parts.ring.removingPasscode(current: try tried(current, event: nil))
    try writing { (transaction) throws(StoreError) in
      guard transaction.header.state.slotsDigest == digest else { throw .busy(path: transaction.parts.path) }
      for row in try ItemTable.rowsOfPasscode(transaction.connection) {
        try transaction.delete(row, searched: try Recount.searched(row))
      }
      try transaction.replaceSlots(records)
      try transaction.log(.passcodeRemoved)
    }
    try retireCopies()
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
    _ passcode: [UInt8], event: AuditEvent?, addsPresenceKey: Bool = false
  ) throws(StoreError) -> PasscodeAttempt {
    if configuration.isReadOnly || pool.isImmutable { return try triedUncounted(passcode) }
    do {
      try beginAttempt()
    } catch  where error.meansNothingCanBeWritten {
      return try triedUncounted(passcode)
    }
    let attempt = try parts.ring.attempt(passcode)
    let (left, counted) = try writing { (transaction) throws(StoreError) -> (Int, PasscodeAttempt) in
      let state = try transaction.header.state.attemptState
      if attempt.isRight {
        transaction.header.state.attempts = []
        if let event { try transaction.log(event) }
        // Records that another request has just written are not the ring's yet: the next right passcode will do.
        if addsPresenceKey, transaction.newSlots == nil,
          let added = try transaction.parts.ring.addingPresenceKey(after: attempt)
        {
          try transaction.replaceSlots(added.records)
          return (0, added.attempt)
        }
        return (0, attempt)
      }
      let failed = state.failed(mark: attempt.mark)
      transaction.header.state.attempts = failed.encoded
      return (failed.attemptsBeforeDelay, attempt)
    }
    if !counted.isRight { throw .wrongPasscode(attemptsBeforeDelay: left) }
    return counted
  }

  /// Tries a passcode where nothing can be written. A delay that was counted before holds here too.
  private func triedUncounted(_ passcode: [UInt8]) throws(StoreError) -> PasscodeAttempt {
    let state = try soundHeader().state.attemptState
    try state.judge(now: parts.now())
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
        // A clock that was ahead once must not keep anybody out for longer than the delay.
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
