import Crypto
import Glibc
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySecretData
import LatchkeySystem

/// A root key in a file: 32 bytes, mode 0600.
struct RootKeyFile: RootKeyHolder {
  /// The file's path.
  let path: String

  /// The file at `path`, or `keychain.key` in the database's folder.
  init(path: String?, databasePath: String) {
    self.path = path ?? FilePaths.folder(of: databasePath) + "/keychain.key"
  }

  func open(at path: String) throws(StoreError) -> OpenedRoot {
    guard let key = try key(at: path) else {
      throw .rootKeyUnavailable(
        "there is no key file at \(path): put the keychain's key file back, or say where it is; without it the keychain "
          + "cannot be opened")
    }
    return (key, nil)
  }

  func openOrCreate() throws(StoreError) -> OpenedRoot {
    if let key = try key(at: path) { return (key, nil) }
    try create()
    return try open(at: path)
  }

  func contents(holding key: RootKey) -> [UInt8] { key.key.exposedBytes }

  /// Reads the key; nil if there is no file.
  private func key(at path: String) throws(StoreError) -> RootKey? {
    guard var bytes = try OwnedFile(path: path, what: "key file").read(maximum: RootKey.byteCount + 1) else {
      return nil
    }
    let count = bytes.count
    guard bytes.isEmpty || bytes.contains(where: { $0 != 0 }) else {
      throw .rootKeyUnavailable("the key file \(path) was overwritten, and holds no root key: put the right one back")
    }
    guard let key = RootKey(consuming: &bytes) else {
      throw .rootKeyUnavailable(
        "the key file \(path) has \(count > RootKey.byteCount ? "more" : "fewer") bytes than the \(RootKey.byteCount) of "
          + "a root key: put the right one back")
    }
    return key
  }

  /// Writes the key under another name and renames it in one step that fails if the name is taken: no process ever reads half a
  /// key, and none overwrites another's.
  private func create() throws(StoreError) {
    var bytes = RootKey().key.exposedBytes
    defer { bytes.wipe() }
    let draft = "\(path).\(getpid()).\(UInt64.random(in: 0 ... .max))"
    try OwnedFile.write(bytes, toNew: draft, for: path)
    defer { unlink(draft) }
    _ = try OwnedFile.place(draft, at: path)
    try OwnedFile.syncFolder(of: path)
  }
}
