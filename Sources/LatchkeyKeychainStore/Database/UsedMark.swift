import Crypto
import Glibc
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySystem

/// The mark of a place where a keychain was made: a small file beside the root key. Where it says so and the database is
/// empty or gone, the keychain was lost or taken away, and no new one takes its place unseen.
///
/// "LKU2", then 32 bytes for each keychain: its UUID, and a MAC of that and its place under a key from the root key. Who has
/// not the root key cannot make one that counts. It stands beside the key file or the sealed root key, as `keychain.key.used`; beside the
/// database, as `keychain.db.used`, for a credential, and where the key file's folder cannot be written.
struct UsedMark: Sendable {
  /// Where it is, the better place first.
  let paths: [String]
  private let databasePath: String
  private let mac: PreparedMAC

  private static let magic = Array("LKU2".utf8)
  private static let size = 32
  private static let maximumCount = 256

  /// The marks of the keychain at `databasePath`.
  init(_ source: RootKeySource, databasePath: String, root: RootKey) {
    let ownPath = databasePath + ".used"
    let paths =
      switch source {
      case .keyFile(let path): [RootKeyFile(path: path, databasePath: databasePath).path + ".used", ownPath]
      case .systemdCredential: [ownPath]
      #if TPM
        case .tpm(let path, _, _): [(path ?? RootKeyTPM.place(of: databasePath)) + ".used", ownPath]
      #endif
      }
    self.init(paths: paths, databasePath: databasePath, root: root)
  }

  /// The marks of the same keychain under another root key.
  func with(_ root: RootKey) -> UsedMark { UsedMark(paths: paths, databasePath: databasePath, root: root) }

  private init(paths: [String], databasePath: String, root: RootKey) {
    self.paths = paths
    self.databasePath = databasePath
    mac = PreparedMAC(root.derive("used", storeUUID: []))
  }

  /// The mark that says so; nil if none does.
  ///
  /// - Throws: `.unsafeLocation` for one that others could have written.
  func found() throws(StoreError) -> String? {
    for path in paths {
      guard let tags = try tags(at: path) else { continue }
      if tags.contains(where: { isOurs($0, at: path) }) { return path }
    }
    return nil
  }

  /// The UUID of the keychain that was made here last, if a mark names it.
  func uuid() throws(StoreError) -> [UInt8]? {
    for path in paths {
      if let ours = try tags(at: path)?.last(where: { isOurs($0, at: path) }) { return Array(ours.prefix(16)) }
    }
    return nil
  }

  /// A mark in which other keychains of the same root key stand; nil if there is none.
  func placeOfOthers(than uuid: [UInt8]) throws(StoreError) -> String? {
    for path in paths where try tags(at: path)?.contains(where: { !$0.starts(with: uuid) }) == true { return path }
    return nil
  }

  /// Removes the marks of this keychain by other root keys.
  func forgetOtherRoots(of uuid: [UInt8]) throws(StoreError) {
    for path in paths { try keep(at: path) { !$0.starts(with: uuid) || isOurs($0, at: path) } }
  }

  /// Removes the mark of this keychain by this root key.
  func forget(_ uuid: [UInt8]) throws(StoreError) {
    for path in paths { try keep(at: path) { !$0.starts(with: uuid) || !isOurs($0, at: path) } }
  }

  private func keep(at path: String, _ isKept: ([UInt8]) -> Bool) throws(StoreError) {
    guard let tags = try tags(at: path) else { return }
    let kept = tags.filter(isKept)
    if kept.count != tags.count { try write(kept, to: path) }
  }

  /// Whether a mark names this keychain, which stands here.
  ///
  /// - Throws: `.damaged` if the marks name others and not this one.
  func names(_ uuid: [UInt8]) throws(StoreError) -> Bool {
    var other: String?
    for path in paths {
      for entry in (try? tags(at: path)) ?? [] where isOurs(entry, at: path) {
        if Array(entry.prefix(16)) == uuid { return true }
        other = path
      }
    }
    guard let other else { return false }
    throw .damaged(
      """
      \(databasePath) is another keychain than the one that was made here: put that one back, or restore it from a backup \
      (latchkey keychain restore); only to take this one in its place, remove \(other)
      """)
  }

  private func isOurs(_ entry: [UInt8], at path: String) -> Bool {
    constantTimeEquals(tag(of: Array(entry.prefix(16)), at: path), Array(entry.suffix(16)))
  }

  /// Marks the place, unless that was done before.
  func set(_ uuid: [UInt8]) throws(StoreError) {
    if try self.uuid() == uuid { return }
    var failure: StoreError?
    for path in paths {
      do throws(StoreError) {
        return try add(uuid, at: path)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func add(_ uuid: [UInt8], at path: String) throws(StoreError) {
    // Other keychains of the same root key have theirs in it; the oldest give way.
    let others = try (tags(at: path) ?? []).filter { !isOurs($0, at: path) }
    try write((others + [uuid + tag(of: uuid, at: path)]).suffix(Self.maximumCount), to: path)
  }

  private func write(_ tags: some Sequence<[UInt8]>, to path: String) throws(StoreError) {
    let draft = "\(path).\(getpid()).\(UInt64.random(in: 0 ... .max))"
    try OwnedFile.write(Self.magic + tags.flatMap { $0 }, toNew: draft, for: path)
    guard rename(draft, path) == 0 else {
      let code = errno
      unlink(draft)
      throw FilePaths.error(code, at: path)
    }
    try OwnedFile.syncFolder(of: path)
  }

  private func tags(at path: String) throws(StoreError) -> [[UInt8]]? {
    let maximum = Self.magic.count + Self.maximumCount * Self.size
    guard let bytes = try OwnedFile(path: path, what: "mark of the keychain").read(maximum: maximum + 1) else {
      return nil
    }
    guard bytes.count <= maximum, bytes.starts(with: Self.magic) else { return nil }
    let rest = Array(bytes.dropFirst(Self.magic.count))
    return stride(from: 0, to: rest.count - rest.count % Self.size, by: Self.size).map {
      Array(rest[$0..<$0 + Self.size])
    }
  }

  /// A folder that moves with both files in it takes the mark along.
  private func tag(of uuid: [UInt8], at path: String) -> [UInt8] {
    let folder = FilePaths.folder(of: databasePath)
    guard FilePaths.folder(of: path) == folder else { return mac.tag([1] + uuid + Array(databasePath.utf8)) }
    return mac.tag([2] + uuid + Array(databasePath.utf8.dropFirst(folder.utf8.count)))
  }
}

extension UsedMark {
  /// The error where a mark stands and the keychain does not.
  func loss(_ path: String, markedBy mark: String) -> StoreError {
    guard FilePaths.size(path) < DatabasePages.smallest else {
      return .damaged(
        """
        \(path) is no keychain any more: latchkey keychain verify --repair makes one of the pages that are left, or restore \
        the keychain from a backup (latchkey keychain restore)
        """)
    }
    return .damaged(
      """
      \(path) is empty, cut short or gone, and there was a keychain: restore it from a backup (latchkey keychain restore); \
      only to give up what was in it, remove \(mark) and the rest of \(path)
      """)
  }
}
