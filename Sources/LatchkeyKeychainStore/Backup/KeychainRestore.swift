import Glibc
import LatchkeyByteCoding
public import LatchkeyKeychainModel
import LatchkeySystem

/// The steps that restore a snapshot at a path. The process may end between any two of them: the previous files are still in
/// place, or beside it under another name, and another restore completes the work.
package enum RestoreStep: CaseIterable, Sendable {
  /// Database and key are in a folder beside the path, and were opened and verified there.
  case verified
  /// The previous database was renamed, its log not yet.
  case databaseMoved
  /// The previous database and its companions were renamed.
  case movedAside
  /// The key file is in place, and the mark beside it names the snapshot's keychain.
  case keyInstalled
  /// The database is in place.
  case databaseInstalled
}

extension KeychainDatabase {
  /// Restores a snapshot at the configuration's path. The snapshot is opened and fully verified before any existing file is
  /// touched, and is moved into place in one step. From then on a counter in a TPM accepts it as the newest copy.
  ///
  /// - Parameter replacing: whether an existing keychain is moved aside; its files stay as `….before-restore`.
  /// - Returns: the new path of the file that was moved aside; nil if there was none.
  /// - Throws: `.damaged` if any part of the snapshot fails verification; `.configuration` if a keychain exists and `replacing`
  ///   is false, or the key file belongs to another keychain or is being replaced; `.rootKeyUnavailable`, `.diskFull`,
  ///   `.readOnly`, `.inputOutput`.
  @discardableResult
  public static func restore(
    _ snapshot: KeychainSnapshot, to configuration: Configuration, replacing: Bool = false
  ) throws(StoreError) -> String? {
    try restore(snapshot, to: configuration, replacing: replacing) { _ in }
  }

  /// Restores a snapshot, and calls `after` at the end of each step; an error that it throws ends the restore there.
  package static func restore(
    _ snapshot: KeychainSnapshot, to configuration: Configuration, replacing: Bool,
    after: (RestoreStep) throws(StoreError) -> Void
  ) throws(StoreError) -> String? {
    var configuration = configuration
    configuration.path = StoreLocation.standardized(configuration.path)
    let restore = KeychainRestore(snapshot: snapshot, configuration: configuration)
    let isThere = access(configuration.path, F_OK) == 0
    guard !isThere || replacing else {
      throw .configuration(
        "there is a keychain at \(configuration.path): --replace puts it aside, or name another place")
    }
    try StoreLocation.makeFolder(FilePaths.folder(of: configuration.path))
    try restore.checkKeyFile()
    let adopted = try restore.completeMove()
    try restore.prepare()
    defer { restore.removeDraft() }
    try after(.verified)
    let aside = try restore.moveAside(after)
    try after(.movedAside)
    try restore.installKey()
    try restore.markPlace()
    try after(.keyInstalled)
    try restore.installDatabase()
    try after(.databaseInstalled)
    return isThere ? aside : adopted
  }
}

private struct KeychainRestore {
  let snapshot: KeychainSnapshot
  let configuration: KeychainDatabase.Configuration

  private var path: String { configuration.path }
  private var draft: String { path + ".restoring" }
  private var draftDatabase: String { draft + "/keychain.db" }
  private var draftKey: String { draft + "/keychain.key" }
  /// The file that records the new name of the files moved aside.
  private var note: String { draft + "/aside" }
  /// The suffixes of the files that SQLite stores beside a database.
  private static let companions = ["-wal", "-shm", "-journal"]

  /// The path of the root key's file; nil if the root key is not a file.
  private var keyPath: String? {
    guard case .keyFile(let path) = configuration.rootKey, snapshot.rootKey != nil else { return nil }
    return RootKeyFile(path: path, databasePath: self.path).path
  }

  // A key file may serve several keychains, so it is never overwritten.
  func checkKeyFile() throws(StoreError) {
    if let replacement = RootKeyReplacement(configuration.rootKey, databasePath: path), replacement.isUnderWay {
      throw .configuration(
        "a change of the root key was interrupted: open the keychain once (latchkey keychain status), or move "
          + "\(replacement.nextPath) away")
    }
    guard let keyPath, var bytes = try OwnedFile(path: keyPath, what: "key file").read(maximum: RootKey.byteCount + 1)
    else { return }
    defer { bytes.wipe() }
    guard let own = snapshot.rootKey, constantTimeEquals(own, bytes) else {
      throw .configuration(
        "the key file \(keyPath) is not that of the backup: move it away, or name another place with --key-file")
    }
  }

  /// Writes the draft, then opens and verifies it like any keychain.
  func prepare() throws(StoreError) {
    removeDraft()
    guard mkdir(draft, 0o700) == 0 else { throw FilePaths.error(errno, at: draft) }
    do throws(StoreError) {
      try OwnedFile.write(snapshot.database, toNew: draftDatabase, for: path)
      if let rootKey = snapshot.rootKey { try OwnedFile.write(rootKey, toNew: draftKey, for: path) }
      try verify()
    } catch {
      removeDraft()
      throw error
    }
  }

  private func verify() throws(StoreError) {
    var draft = configuration
    draft.path = draftDatabase
    draft.createsIfMissing = false
    // Before installation, opening the draft must not turn the current keychain into an old copy.
    draft.countsOpenings = false
    draft.takesOldCopies = true
    draft.marksPlace = false
    if snapshot.rootKey != nil { draft.rootKey = .keyFile(path: draftKey) } else { draft.rootKey = rootKeyInPlace }
    let database = try KeychainDatabase(draft)
    defer { database.close() }
    let report = try database.verify()
    if let finding = report.findings.first { throw .damaged(finding) }
    guard database.parts.uuid == snapshot.uuid else { throw .damaged("the backup is of another keychain than it says") }
    try database.takeOverCounter()
  }

  /// The root key's source, with its default path resolved beside the keychain instead of the draft.
  private var rootKeyInPlace: RootKeySource {
    switch configuration.rootKey {
    case .keyFile(let path): .keyFile(path: RootKeyFile(path: path, databasePath: self.path).path)
    case .systemdCredential: configuration.rootKey
    #if TPM
      case .tpm(let path, let registers, let tcti):
        .tpm(path: path ?? RootKeyTPM.place(of: self.path), registers: registers, tcti: tcti)
    #endif
    }
  }

  /// Renames the existing database together with its log and other companions: SQLite would apply a log to any database beside
  /// it. Writers are locked out, and the log is empty unless another process is reading in it. If the process ends before such
  /// a log was renamed, the note in the draft's folder records its target.
  func moveAside(_ after: (RestoreStep) throws(StoreError) -> Void) throws(StoreError) -> String {
    let holder = try MovedFile(path: path, busyTimeout: configuration.busyTimeout)
    defer { holder?.release() }
    let aside = freeName()
    try OwnedFile.write(Array(aside.utf8), toNew: note, for: path)
    try OwnedFile.syncFolder(of: note)
    for companion in [""] + Self.companions {
      guard rename(path + companion, aside + companion) == 0 || errno == ENOENT else {
        throw FilePaths.error(errno, at: path)
      }
      if companion.isEmpty { try after(.databaseMoved) }
    }
    try OwnedFile.syncFolder(of: path)
    unlink(note)
    return aside
  }

  /// Finishes the renames of a restore that was interrupted between two of them.
  ///
  /// - Returns: the path to which it was moving the files; nil if no restore was interrupted there.
  func completeMove() throws(StoreError) -> String? {
    guard access(path, F_OK) != 0,
      let bytes = try OwnedFile(path: note, what: "note of a restore").read(maximum: Int(PATH_MAX)),
      let aside = String(validating: bytes, as: UTF8.self), aside.hasPrefix(path + ".before-restore"),
      access(aside, F_OK) == 0
    else {
      unlink(note)
      return nil
    }
    for companion in Self.companions
    where access(path + companion, F_OK) == 0 && access(aside + companion, F_OK) != 0 {
      guard rename(path + companion, aside + companion) == 0 else { throw FilePaths.error(errno, at: path) }
    }
    try OwnedFile.syncFolder(of: path)
    unlink(note)
    return aside
  }

  private func freeName() -> String {
    var name = path + ".before-restore"
    var number = 2
    while ([""] + Self.companions).contains(where: { access(name + $0, F_OK) == 0 }) {
      name = "\(path).before-restore-\(number)"
      number += 1
    }
    return name
  }

  func installKey() throws(StoreError) {
    guard let keyPath, access(keyPath, F_OK) != 0, let rootKey = snapshot.rootKey else { return }
    let draft = "\(keyPath).restoring"
    unlink(draft)
    try OwnedFile.write(rootKey, toNew: draft, for: keyPath)
    guard rename(draft, keyPath) == 0 else {
      let code = errno
      unlink(draft)
      throw FilePaths.error(code, at: keyPath)
    }
    try OwnedFile.syncFolder(of: keyPath)
  }

  /// Marks the path as used, before a database is installed that another mark would refuse.
  func markPlace() throws(StoreError) {
    guard let root = try? configuration.rootKey.open(databasePath: path).root else { return }
    try UsedMark(configuration.rootKey, databasePath: path, root: root).set(snapshot.uuid)
  }

  func installDatabase() throws(StoreError) {
    guard rename(draftDatabase, path) == 0 else { throw FilePaths.error(errno, at: path) }
    try OwnedFile.syncFolder(of: path)
  }

  func removeDraft() {
    for name in [draftDatabase] + Self.companions.map({ draftDatabase + $0 }) + [draftKey] { unlink(name) }
    for suffix in [".used"] { for name in [draftDatabase, draftKey] { unlink(name + suffix) } }
    rmdir(draft)
  }
}
