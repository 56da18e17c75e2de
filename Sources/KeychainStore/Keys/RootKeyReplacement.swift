import Glibc
import KeychainModel

/// A key file, and the new one that stands beside it while the root key is rotated (`keychain.key.next`).
///
/// The new file is written inside the transaction that seals the keychain by its key, and takes the old one's place after the
/// commit. So at every moment one of the two opens the keychain, and which one it is the header tells. All that changes
/// them happens while the database is locked for writing.
struct RootKeyReplacement: Sendable {
  /// The key file itself, links resolved: a link stays a link.
  let path: String
  /// The new key file.
  var nextPath: String { path + ".next" }

  /// The key file of a keychain; nil where the root key is not a plain file.
  init?(_ source: RootKeySource, databasePath: String) {
    guard case .keyFile(let named) = source else { return nil }
    let file = RootKeyFile(path: named, databasePath: databasePath).path
    var resolved = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    path = realpath(file, &resolved) == nil ? file : FilePaths.text(resolved)
  }

  /// The same for a root key that is to be rotated.
  ///
  /// - Throws: `.configuration` for a root key that nothing here can replace.
  init(rotating source: RootKeySource, databasePath: String) throws(StoreError) {
    switch source {
    case .keyFile: break
    case .systemdCredential(let name):
      throw .configuration(
        "the root key is the credential \(name), which systemd alone replaces: export the items, make a keychain with a new "
          + "credential, and import them there; rotating without --root replaces every other key")
    #if TPM
      case .tpm:
        throw .configuration(
          "the root key is sealed in a TPM, and is not rotated: export the items, make a new keychain, and import them there; "
            + "rotating without --root replaces every other key")
    #endif
    }
    guard let replacement = RootKeyReplacement(source, databasePath: databasePath) else {
      throw .configuration("the root key of \(databasePath) is not a file")
    }
    self = replacement
  }

  /// Judges whether the file can be replaced: no other keychain may depend on it.
  ///
  /// - Throws: `.configuration`; `.readOnly` where its folder takes no file.
  func judge(_ mark: UsedMark, of uuid: [UInt8]) throws(StoreError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw FilePaths.error(errno, at: path) }
    guard status.st_nlink == 1 else {
      throw .configuration(
        "the key file \(path) has \(status.st_nlink) names (hard links), and what it holds is overwritten: remove the others"
      )
    }
    guard access(FilePaths.folder(of: path), W_OK | X_OK) == 0 else { throw .readOnly(path: path) }
    if let place = try mark.placeOfOthers(than: uuid) {
      throw .configuration(
        "the key file \(path) opens other keychains too (says \(place)): copy it to a file of this keychain's own, and "
          + "rotate with that one (--key-file)")
    }
  }

  /// Whether a rotation began and has not ended.
  var isUnderWay: Bool { access(nextPath, F_OK) == 0 }

  /// The new key, if there is one; nil for a file that is none: the process that wrote it was ended meanwhile.
  var next: RootKey? {
    RootKeyReplacement.key(at: nextPath)
  }

  /// The key in force before, or since; nil for a file that is none.
  var present: RootKey? {
    RootKeyReplacement.key(at: path)
  }

  private static func key(at path: String) -> RootKey? {
    guard let found = try? RootKeyFile(path: path, databasePath: path).loadIfThere() else { return nil }
    return found
  }

  /// Writes the new key, and waits until the disk has it.
  func write(_ key: RootKey) throws(StoreError) {
    try discard()
    var bytes = key.key.exposedBytes
    defer { bytes.wipe() }
    try OwnedFile.write(bytes, toNew: nextPath, for: path)
    try OwnedFile.syncFolder(of: path)
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
    // A key file may be one that nobody may write.
    guard chmod(path, 0o600) == 0 else { throw FilePaths.error(errno, at: path) }
    let file = Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw FilePaths.error(errno, at: path) }
    defer { close(file) }
    let zeros = [UInt8](repeating: 0, count: RootKey.byteCount)
    guard pwrite(file, zeros, zeros.count, 0) == zeros.count, fsync(file) == 0 else {
      throw FilePaths.error(errno, at: path)
    }
  }
}
