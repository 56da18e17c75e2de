public import LatchkeyAgeEncryption
public import LatchkeyKeychainModel
import Synchronization

// A recovery recipient is an age recipient whose identity, stored elsewhere, opens the keychain in the place of the passcode.
extension KeychainDatabase {
  /// Whose identities open the keychain without its passcode; none unless they were set.
  public func recoveryRecipients() throws(StoreError) -> [AgeRecipient] {
    _ = try soundHeader()
    return parts.ring.recoveryRecipients
  }

  /// From now on the identities of these recipients, and no others, open the keychain without its passcode, where they come
  /// together with the root key. All keys are made anew, so that an identity that counted before opens nothing any more; other
  /// processes stand before their first unlock again if there is a passcode.
  ///
  /// - Parameters:
  ///   - recipients: at most 7; an empty list removes all.
  ///   - passcode: the passcode in force; nil if there is none.
  ///   - progress: as in ``rotateKeys(passcode:progress:)``.
  /// - Throws: as ``rotateKeys(passcode:progress:)``; `.invalidParameter` for too many recipients, one that is given twice, and
  ///   one that is no point to encrypt for.
  public func setRecoveryRecipients(
    _ recipients: [AgeRecipient], passcode: [UInt8]?,
    progress: @escaping @Sendable (RotationProgress) -> Void = { _ in }
  ) throws(StoreError) {
    guard recipients.count <= KeyRing.maximumRecoveryRecipients, Set(recipients).count == recipients.count else {
      throw .invalidParameter(
        "a keychain has up to \(KeyRing.maximumRecoveryRecipients) recovery recipients, each of them once")
    }
    let digest = try soundHeader().state.slotsDigest
    let hasPasscode = parts.ring.hasPasscode
    var attempt: PasscodeAttempt?
    if hasPasscode { attempt = try tried(passcode ?? [], event: nil) }
    let rotation = try parts.ring.rotating(
      current: attempt, to: hasPasscode ? passcode : nil, recovery: .set(recipients))
    try changeKeys(to: rotation, from: digest, event: .recoveryChanged, progress)
    try settle(after: "the recovery recipients were changed")
  }

  /// Unlocks the keychain in this process by the identity of a recovery recipient. It costs no time and counts as no attempt:
  /// an identity cannot be guessed.
  ///
  /// - Throws: `.unavailable` if no recovery recipient is set, or none of the identities is that of one; `.damaged`.
  public func unlock(recoveryIdentities: [AgeIdentity]) throws(StoreError) {
    let recovered = try withSettledKeys { () throws(StoreError) in
      _ = try soundHeader()
      return try parts.ring.recovered(by: recoveryIdentities)
    }
    do {
      try noteRecovery()
    } catch  where error.meansNothingCanBeWritten || verified.withLock({ $0.broken != nil }) {
      // As with a passcode: what cannot be written can be read.
    }
    try parts.ring.unlock(after: recovered, path: path)
  }

  /// Sets a new passcode by the identity of a recovery recipient, in the place of the passcode until now. What was bound to that
  /// passcode is bound to the new one.
  ///
  /// - Throws: as ``setPasscode(_:current:progress:)`` and ``unlock(recoveryIdentities:)``.
  public func resetPasscode(
    _ new: [UInt8], recoveryIdentities: [AgeIdentity],
    progress: @escaping @Sendable (RotationProgress) -> Void = { _ in }
  ) throws(StoreError) {
    let digest = try soundHeader().state.slotsDigest
    guard parts.ring.hasPasscode else { throw .passcodeNotSet }
    let recovered = try parts.ring.recovered(by: recoveryIdentities)
    let rotation = try parts.ring.resettingPasscode(new, after: recovered)
    try noteRecovery()
    try changeKeys(to: rotation, from: digest, event: .passcodeChanged, progress)
    try settle(after: "the passcode was set")
  }

  /// Being right ends the wait that wrong passcodes cost.
  private func noteRecovery() throws(StoreError) {
    guard !configuration.isReadOnly, !pool.isImmutable else { return }
    try writing { (transaction) throws(StoreError) in
      transaction.header.state.attempts = []
      try transaction.log(.recovered)
    }
  }
}
