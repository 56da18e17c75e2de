import Glibc
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySystem

/// The file of a root key, and the new one beside it while the root key is rotated (`keychain.key.next`, `keychain.tpm.next`).
///
/// The new file is written inside the transaction that seals the keychain under its key, and replaces the old one after the
/// commit. At every moment one of the two opens the keychain, and the header decides which. Both files change only while the
/// database is locked for writing.
struct RootKeyReplacement: Sendable {
  private let holder: any RootKeyHolder
  /// The path of the file, with links resolved, so that a symbolic link is preserved.
  let path: String
  /// The path of the new file.
  var nextPath: String { path + ".next" }

  init(_ holder: any RootKeyHolder) {
    self.holder = holder
    var resolved = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    path = realpath(holder.path, &resolved) == nil ? holder.path : FilePaths.text(resolved)
  }

  /// The replacement of a keychain's root key; nil if it is not in a file.
  init?(_ source: RootKeySource, databasePath: String) {
    guard let holder = try? source.holder(databasePath: databasePath) else { return nil }
    self.init(holder)
  }

  /// The replacement of a root key that is to be rotated.
  ///
  /// - Throws: `.configuration` for a root key that cannot be replaced here.
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

  /// Whether a rotation was started and is not complete.
  var isUnderWay: Bool { access(nextPath, F_OK) == 0 }

  /// Opens the new file; nil if it holds no key because the process that wrote it was interrupted.
  func openNext() -> OpenedRoot? { try? holder.open(at: nextPath) }

  /// The new key, if there is one.
  var next: RootKey? { openNext()?.root }

  /// The key in the old file; nil once it is overwritten.
  var present: RootKey? { try? holder.open(at: path).root }

  /// All keys that may be current.
  var keys: [RootKey] { [next, present].compactMap { $0 } }

  /// Writes the new key, and syncs it to the disk.
  func write(_ key: RootKey) throws(StoreError) {
    var bytes = try holder.contents(holding: key)
    defer { bytes.wipe() }
    try OwnedFile.write(bytes, toNew: nextPath, for: path)
    try OwnedFile.syncFolder(of: path)
    // Fails before anything is sealed under a key that cannot be read back.
    guard next?.key == key.key else { throw .inputOutput("\(nextPath) does not hold the new root key: try again") }
  }

  /// Overwrites the old key. Then only the new one opens the keychain.
  func wipeOld() throws(StoreError) { try Self.wipe(path) }

  /// Renames the new key file to its final name.
  func install() throws(StoreError) {
    guard rename(nextPath, path) == 0 else { throw FilePaths.error(errno, at: path) }
    try OwnedFile.syncFolder(of: path)
  }

  /// Removes a new key under which nothing is sealed.
  func discard() throws(StoreError) {
    guard isUnderWay else { return }
    try Self.wipe(nextPath)
    guard unlink(nextPath) == 0 || errno == ENOENT else { throw FilePaths.error(errno, at: nextPath) }
    try OwnedFile.syncFolder(of: path)
  }

  private static func wipe(_ path: String) throws(StoreError) {
    // The file may be read-only.
    guard chmod(path, 0o600) == 0 else { throw FilePaths.error(errno, at: path) }
    let file = Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw FilePaths.error(errno, at: path) }
    defer { close(file) }
    let zeros = [UInt8](repeating: 0, count: min(FilePaths.size(path), maximumSize))
    guard pwrite(file, zeros, zeros.count, 0) == zeros.count, fsync(file) == 0 else {
      throw FilePaths.error(errno, at: path)
    }
  }

  /// The size limit, above that of any root key file.
  private static let maximumSize = 1 << 16
}
