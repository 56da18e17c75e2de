import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// A file that holds a root key, either directly or sealed by a TPM.
protocol RootKeyHolder: Sendable {
  /// The file's path.
  var path: String { get }

  /// Opens a file of this kind.
  ///
  /// - Throws: `.rootKeyUnavailable` if it is missing, or holds no root key; `.unsafeLocation`, `.hardware`.
  func open(at path: String) throws(StoreError) -> OpenedRoot

  /// Opens the file, or creates it with a new key if it is missing. If several processes create it at once, one wins, and all
  /// get the winner's key.
  ///
  /// - Throws: as ``open(at:)``; `.readOnly`, `.diskFull`, `.inputOutput`.
  func openOrCreate() throws(StoreError) -> OpenedRoot

  /// Encodes a file that holds another root key, and is otherwise like this one.
  func contents(holding key: RootKey) throws(StoreError) -> [UInt8]
}

/// A root key, and the hardware counter that detects old copies of its keychain, if there is one.
typealias OpenedRoot = (root: RootKey, counter: (any HardwareCounter)?)

extension RootKeySource {
  /// The file that holds the root key; nil for a systemd credential.
  ///
  /// - Throws: `.configuration`.
  func holder(databasePath: String) throws(StoreError) -> (any RootKeyHolder)? {
    switch self {
    case .keyFile(let path): return RootKeyFile(path: path, databasePath: databasePath)
    case .systemdCredential: return nil
    #if TPM
      case .tpm(let path, let registers, let tcti):
        return try RootKeyTPM(path: path, databasePath: databasePath, registers: registers, tcti: tcti)
    #endif
    }
  }

  /// Opens the root key of an existing keychain, and its counter. While the key is being replaced, the result is the old one,
  /// or the new one once the old one is overwritten (``RootKeyReplacement``).
  ///
  /// - Throws: as ``load(databasePath:credentialsDirectory:)``; `.hardware`.
  func open(
    databasePath: String, credentialsDirectory: String? = SystemdCredential.directory
  ) throws(StoreError) -> OpenedRoot {
    if case .systemdCredential(let name) = self {
      return (try SystemdCredential(name: name, directory: credentialsDirectory).rootKey(), nil)
    }
    return try held(databasePath) { (holder) throws(StoreError) in try holder.open(at: holder.path) }
  }

  /// Opens the root key for a new keychain, and creates it if it is missing and not a credential.
  ///
  /// - Throws: as ``loadOrCreate(databasePath:credentialsDirectory:)``; `.hardware`.
  func openOrCreate(
    databasePath: String, credentialsDirectory: String? = SystemdCredential.directory
  ) throws(StoreError) -> OpenedRoot {
    if case .systemdCredential = self {
      return try open(databasePath: databasePath, credentialsDirectory: credentialsDirectory)
    }
    return try held(databasePath) { (holder) throws(StoreError) in try holder.openOrCreate() }
  }

  private func held(
    _ databasePath: String, _ body: (any RootKeyHolder) throws(StoreError) -> OpenedRoot
  ) throws(StoreError) -> OpenedRoot {
    guard let holder = try holder(databasePath: databasePath) else {
      throw .configuration("the root key of \(databasePath) is in no file")
    }
    do throws(StoreError) {
      return try body(holder)
    } catch {
      guard case .rootKeyUnavailable = error else { throw error }
      if let next = RootKeyReplacement(holder).openNext() { return next }
      // The new key file may have been installed between the two attempts.
      return try body(holder)
    }
  }
}
