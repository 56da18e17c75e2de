import LatchkeySQLite
import Glibc
import LatchkeyKeychainModel
import Synchronization

// How a new root key comes into its place, and how everybody who has the keychain open notices.
extension KeychainDatabase {
  /// The error of a call once the keychain is sealed by another root key.
  var rootReplaced: StoreError {
    .rootKeyUnavailable(
      "the root key of \(path) was changed since the keychain was opened (latchkey keychain rotate --root): open it again"
    )
  }

  /// Whether the keychain is known to be sealed by another root key, so that it has to be opened again.
  var isSuperseded: Bool { rootIsReplaced.load(ordering: .acquiring) }

  /// Grows whenever other keys are taken over.
  var keysGeneration: UInt64 { parts.ring.generation }

  /// Looks whether others have changed the keys, and takes over those that can be. Costs next to nothing while no other connection has
  /// committed anything.
  func noticeKeys() {
    try? reading { (connection) throws(StoreError) in
      if let commits = CommitMark.read(connection), verified.withLock({ $0.commits == commits }) { return }
      try readingSnapshot(connection) { (_, _) throws(StoreError) in }
    }
  }

  /// `busyTimeout` as SQLite has it.
  var busyMilliseconds: Int32 { SQLiteOptions.milliseconds(configuration.busyTimeout) }

  /// Notices that a header does not open because it is sealed by a new root key.
  ///
  /// - Throws: `.rootKeyUnavailable` then.
  func requireSameRoot(_ connection: Connection) throws(StoreError) {
    guard let replacement = RootKeyReplacement(configuration.rootKey, databasePath: path),
      let clear = try? HeaderTable.readClear(connection), clear.uuid == parts.uuid
    else { return }
    for root in replacement.keys {
      guard root.key != parts.ring.root.key, clear.header(sealedBy: root) != nil else { continue }
      rootIsReplaced.store(true, ordering: .releasing)
      throw rootReplaced
    }
  }

  /// Completes a change of the root key whose process was ended, or reverts it, unless another process is writing just now.
  func takeOverRootKey() {
    guard !configuration.isReadOnly else { return }
    try? settleRootKey(waiting: 0)
  }

  /// Has one key file where there are two: the one that the header is sealed by. Where neither opens it, both stay.
  ///
  /// - Parameter milliseconds: how long it waits for others that write.
  func settleRootKey(waiting milliseconds: Int32) throws(StoreError) {
    guard let replacement = RootKeyReplacement(configuration.rootKey, databasePath: path), replacement.isUnderWay else {
      return
    }
    try pool.withWriter { (connection) throws(StoreError) in
      connection.database.setBusyTimeout(milliseconds)
      defer { connection.database.setBusyTimeout(busyMilliseconds) }
      // Nothing is written: who rotates writes the new key file under this lock.
      try connection.run("BEGIN IMMEDIATE")
      try settle(replacement, try HeaderTable.readClear(connection))
    }.get()
  }

  /// Has one key file where there are two, while the database is locked for writing.
  ///
  /// - Parameter clear: the header as it is committed.
  func settle(_ replacement: RootKeyReplacement, _ clear: HeaderTable.Clear) throws(StoreError) {
    guard replacement.isUnderWay else { return }
    if let next = replacement.next, let header = clear.header(sealedBy: next) {
      try? parts.mark?.with(next).forgetOtherRoots(of: clear.uuid)
      try replacement.wipeOld()
      try configuration.rotationStep(.rootKeyWiped)
      try replacement.install()
      try configuration.rotationStep(.rootKeyInstalled)
      try parts.rollback?.settle(header.state.generation)
    } else if let present = replacement.present, clear.header(sealedBy: present) != nil {
      if let next = replacement.next { try? parts.mark?.with(next).forget(clear.uuid) }
      try replacement.discard()
    } else {
      throw .rootKeyUnavailable(
        "neither \(replacement.path) nor \(replacement.nextPath) is the root key of \(path): put the right one back")
    }
  }
}

extension HeaderTable.Clear {
  /// The header, if it is as a keychain with this root key wrote it.
  func header(sealedBy root: RootKey) -> Header? {
    let seal = HeaderSeal(key: root.derive("header", storeUUID: uuid))
    return try? seal.open(sealed, format: format, uuid: uuid, counter: counter)
  }
}
