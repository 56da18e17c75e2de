public import LatchkeyKeychainModel
import Synchronization

/// The steps of a change of keys: of a rotation, of the root key too, and of setting, changing and removing the passcode. A
/// process may end after any of them: the keychain opens by what was valid before, or by what is valid afterwards.
package enum RotationStep: String, CaseIterable, Sendable {
  /// The new keys are in memory; nothing is written.
  case keysMade
  /// The new root key stands beside the old one.
  case rootKeyWritten
  /// Rows, key records and log are written, not committed.
  case rowsSealed
  /// The new keys are in force.
  case committed
  /// The old root key is overwritten.
  case rootKeyWiped
  /// The new root key's file has its name.
  case rootKeyInstalled
  /// The replaced content is in no file any more.
  case logEmptied

  /// Called after a step; what it throws ends the change there.
  package typealias Hook = @Sendable (RotationStep) throws(StoreError) -> Void

  /// Whether the step is one of a new root key alone.
  package var isOfRootKey: Bool { [.rootKeyWritten, .rootKeyWiped, .rootKeyInstalled].contains(self) }
}

extension KeychainDatabase {
  /// Makes all keys anew and seals all items by them, under the same passcode if there is one: anyone who has copied keys or
  /// learned them from a process opens nothing any more that is written from now on, nor what is in the file now.
  ///
  /// It is one transaction, during which others wait to write but not to read. Other processes stand before their first unlock
  /// again if there is a passcode.
  ///
  /// - Parameters:
  ///   - passcode: the passcode in force; nil if there is none.
  ///   - progress: called with the progress, now and then, in the thread that writes.
  /// - Throws: as ``setPasscode(_:current:progress:)``.
  public func rotateKeys(
    passcode: [UInt8]?, progress: @escaping @Sendable (RotationProgress) -> Void = { _ in }
  ) throws(StoreError) {
    let digest = try soundHeader().state.slotsDigest
    let hasPasscode = parts.ring.hasPasscode
    var attempt: PasscodeAttempt?
    if hasPasscode { attempt = try tried(passcode ?? [], event: nil) }
    let rotation = try parts.ring.rotating(current: attempt, to: hasPasscode ? passcode : nil)
    try changeKeys(to: rotation, from: digest, event: .keysChanged, progress)
    try settle(after: "the keys were changed")
  }

  /// Makes a new root key besides all other keys, and puts its file in the place of the old one, which is overwritten: anyone who
  /// has copied the key file opens nothing of the keychain any more as it is from now on.
  ///
  /// Every object that has the keychain open, this one included, is of no use afterwards: its calls fail with
  /// `.rootKeyUnavailable`, and the keychain has to be opened again. A process that is ended on the way leaves a keychain that
  /// opens, and anyone who opens it next completes the change or takes it back. A root key in a TPM is sealed to the same registers
  /// again, and its counter stays, and counts on.
  ///
  /// - Parameters:
  ///   - passcode: the passcode in force; nil if there is none.
  ///   - progress: as in ``rotateKeys(passcode:progress:)``.
  /// - Throws: as ``rotateKeys(passcode:progress:)``; `.configuration` for a root key that is a credential, or that opens other
  ///   keychains too; `.readOnly` where the key file cannot be replaced; `.inputOutput` if the keys were changed, but the old
  ///   key file or the log could not be overwritten; `.hardware`.
  public func rotateRootKey(
    passcode: [UInt8]?, progress: @escaping @Sendable (RotationProgress) -> Void = { _ in }
  ) throws(StoreError) {
    guard !configuration.isReadOnly else { throw .readOnly(path: path) }
    let replacement = try RootKeyReplacement(rotating: configuration.rootKey, databasePath: path)
    let digest = try soundHeader().state.slotsDigest
    if let mark = parts.mark { try replacement.verify(mark, of: parts.uuid) }
    let hasPasscode = parts.ring.hasPasscode
    var attempt: PasscodeAttempt?
    if hasPasscode { attempt = try tried(passcode ?? [], event: nil) }
    let root = RootKey()
    let rotation = try parts.ring.rotating(current: attempt, to: hasPasscode ? passcode : nil, root: root)
    do throws(StoreError) {
      try changeKeys(to: rotation, from: digest, event: .keysChanged, replacing: (replacement, root), progress)
    } catch {
      if !rootIsReplaced.load(ordering: .acquiring) { try? settleRootKey(waiting: 0) }
      throw error
    }
    do throws(StoreError) {
      try settleRootKey(waiting: busyMilliseconds)
    } catch {
      throw .inputOutput(
        "the root key was changed, but the old one still stands in \(replacement.path), since \(error): open the keychain again"
      )
    }
    try erase(after: "the root key was changed")
    try configuration.rotationStep(.logEmptied)
  }

  /// Seals all rows by the keys of `rotation` and stores its records, in one transaction.
  ///
  /// - Parameter digest: of the records that it was made from.
  /// - Throws: `.busy` if others are in force by now.
  func changeKeys(
    to rotation: KeyRotation, from digest: [UInt8], event: AuditEvent,
    replacing rootKey: (file: RootKeyReplacement, new: RootKey)? = nil,
    _ progress: @escaping @Sendable (RotationProgress) -> Void
  ) throws(StoreError) {
    let step = configuration.rotationStep
    try step(.keysMade)
    parts.ring.expect(rotation)
    do throws(StoreError) {
      try writing(changingKeys: true) { [self] (transaction) throws(StoreError) in
        guard transaction.header.state.slotsDigest == digest else { throw .busy(path: transaction.parts.path) }
        try transaction.proof.everything(transaction.connection, transaction.header)
        if let rootKey {
          try settle(rootKey.file, try HeaderTable.readClear(transaction.connection))
          try rootKey.file.write(rootKey.new)
          try transaction.parts.mark?.with(rootKey.new).set(transaction.parts.uuid)
          try step(.rootKeyWritten)
        }
        if event == .passcodeRemoved {
          for row in try ItemTable.rowsOfPasscode(transaction.connection) {
            try transaction.delete(row, searched: try IntegrityCount.searched(row))
          }
        }
        let rewrapping = Rewrapping(rotation, transaction.parts, progress: progress)
        try rewrapping.perform(in: &transaction)
        try transaction.replaceSlots(rotation.records)
        try transaction.log(event)
        if rotation.changesRoot {
          transaction.nextParts = rewrapping.after
          // A copy from before, beside a copy of the old root key, is an old one once the new key is in its place.
          if let rollback = transaction.parts.rollback {
            transaction.header.state.generation = try rollback.next(after: transaction.header.state.generation)
          }
        }
        try step(.rowsSealed)
      }
    } catch {
      parts.ring.expect(nil)
      throw error
    }
    try step(.committed)
  }

  /// The steps after a change of keys: copies of the file are old ones, and the log is emptied.
  func settle(after done: String) throws(StoreError) {
    let retiring = Result { () throws(StoreError) in try retireCopies() }
    try erase(after: done)
    try configuration.rotationStep(.logEmptied)
    try retiring.get()
  }
}
