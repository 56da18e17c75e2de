public import KeychainModel

extension KeychainDatabase {
  /// Makes all keys anew and seals all items by them, under the same passcode if there is one: whoever has copied keys or
  /// learned them from a process opens nothing any more that is written from now on, nor what is in the file now.
  ///
  /// It is one transaction, during which others wait to write but not to read. Other processes stand before their first unlock
  /// again if there is a passcode.
  ///
  /// - Parameters:
  ///   - passcode: the passcode in force; nil if there is none.
  ///   - progress: told how far it is, now and then, in the thread that writes.
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

  /// Seals all rows by the keys of `rotation` and stores its records, in one transaction.
  ///
  /// - Parameter digest: of the records that it was made from.
  /// - Throws: `.busy` if others are in force by now.
  func changeKeys(
    to rotation: KeyRotation, from digest: [UInt8], event: AuditEvent,
    _ progress: @escaping @Sendable (RotationProgress) -> Void
  ) throws(StoreError) {
    parts.ring.expect(rotation)
    do throws(StoreError) {
      try writing(changingKeys: true) { (transaction) throws(StoreError) in
        guard transaction.header.state.slotsDigest == digest else { throw .busy(path: transaction.parts.path) }
        try transaction.proof.everything(transaction.connection, transaction.header)
        if event == .passcodeRemoved {
          for row in try ItemTable.rowsOfPasscode(transaction.connection) {
            try transaction.delete(row, searched: try Recount.searched(row))
          }
        }
        try Rewrapping(rotation, transaction.parts, progress: progress).perform(in: &transaction)
        try transaction.replaceSlots(rotation.records)
        try transaction.log(event)
      }
    } catch {
      parts.ring.expect(nil)
      throw error
    }
  }

  /// What follows a change of keys: copies of the file are old ones, and the log is emptied.
  func settle(after done: String) throws(StoreError) {
    let retiring = Result { () throws(StoreError) in try retireCopies() }
    try erase(after: done)
    try retiring.get()
  }
}
