import Glibc
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySystem

/// The file that holds a root key, and the new one that stands beside it while the root key is rotated (`keychain.key.next`,
/// `keychain.tpm.next`).
///
/// The new file is written inside the transaction that seals the keychain by its key, and takes the old one's place after the
/// commit. So at every moment one of the two opens the keychain, and which one it is the header tells. All that changes
/// them happens while the database is locked for writing.
struct RootKeyReplacement: Sendable {
  private let holder: any RootKeyHolder
  /// The file itself, links resolved: a link stays a link.
  let path: String
  /// The new file.
  var nextPath: String { path + ".next" }

  init(_ holder: any RootKeyHolder) {
    self.holder = holder
    var resolved = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    path = realpath(holder.path, &resolved) == nil ? holder.path : FilePaths.text(resolved)
  }

  /// That of a keychain's root key; nil where it is in no file.
  init?(_ source: RootKeySource, databasePath: String) {
    guard let holder = try? source.holder(databasePath: databasePath) else { return nil }
    self.init(holder)
  }

  /// The same for a root key that is to be rotated.
  ///
  /// - Throws: `.configuration` for a root key that nothing here can replace.
  init(rotating source: RootKeySource, databasePath: String) throws(StoreError) {
    if case .systemdCredential(let name) = source {
      throw .configuration(
        "the root key is the credential \(name), which systemd alone replaces: export the items, make a keychain with a new "
          + "credential, and import them there; rotating without --root replaces every other key")
    }
    guard let holder = try source.holder(databasePath: databasePath) else {
      throw .configuration("the root key of \(databasePath) is in no file")
    }
    self.init(holder)
  }

  /// Whether a rotation began and has not ended.
  var isUnderWay: Bool { access(nextPath, F_OK) == 0 }

  /// What the new file holds; nil for one that holds no key: the process that wrote it was ended meanwhile.
  func openNext() -> OpenedRoot? { try? holder.open(at: nextPath) }

  /// The new key, if there is one.
  var next: RootKey? { openNext()?.root }

  /// The key in force before, or since; nil once it is overwritten.
  var present: RootKey? { try? holder.open(at: path).root }

  /// All keys that may be in force.
  var keys: [RootKey] { [next, present].compactMap { $0 } }

  /// Writes the new key, and waits until the disk has it.
  func write(_ key: RootKey) throws(StoreError) {
    var bytes = try holder.contents(holding: key)
    defer { bytes.wipe() }
    try OwnedFile.write(bytes, toNew: nextPath, for: path)
    try OwnedFile.syncFolder(of: path)
    // Before anything is sealed by a key that nobody could open.
    guard next?.key == key.key else { throw .inputOutput("\(nextPath) does not hold the new root key: try again") }
  }

  /// Overwrites the old key. The new one alone opens the keychain then.
  func wipeOld() throws(StoreError) { try Self.wipe(path) }

  /// Gives the new key file its name.
  func install() throws(StoreError) {
    guard rename(nextPath, path) == 0 else { throw FilePaths.error(errno, at: path) }
    try OwnedFile.syncFolder(of: path)
  }

  /// Removes a new key that nothing is sealed by.
  func discard() throws(StoreError) {
    guard isUnderWay else { return }
    try Self.wipe(nextPath)
    guard unlink(nextPath) == 0 || errno == ENOENT else { throw FilePaths.error(errno, at: nextPath) }
    try OwnedFile.syncFolder(of: path)
  }

  private static func wipe(_ path: String) throws(StoreError) {
    // It may be one that nobody may write.
    guard chmod(path, 0o600) == 0 else { throw FilePaths.error(errno, at: path) }
    let file = Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw FilePaths.error(errno, at: path) }
    defer { close(file) }
    let zeros = [UInt8](repeating: 0, count: min(FilePaths.size(path), maximumSize))
    guard pwrite(file, zeros, zeros.count, 0) == zeros.count, fsync(file) == 0 else {
      throw FilePaths.error(errno, at: path)
    }
  }

  /// More than any file that holds a root key has.
  private static let maximumSize = 1 << 16
}
