import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// What holds a root key in a file: the file itself, or a TPM that opens it.
protocol RootKeyHolder: Sendable {
  /// Where the file is.
  var path: String { get }

  /// What a file of this kind holds.
  ///
  /// - Throws: `.rootKeyUnavailable` if there is none, or it holds no root key; `.unsafeLocation`, `.hardware`.
  func open(at path: String) throws(StoreError) -> OpenedRoot

  /// What the file holds; it is made, with a new key, if it is not there. Of several processes that make it at the same moment
  /// one wins, and all get the winner's key.
  ///
  /// - Throws: as ``open(at:)``; `.readOnly`, `.diskFull`, `.inputOutput`.
  func openOrCreate() throws(StoreError) -> OpenedRoot

  /// The bytes of a file that holds another root key, and everything else as this one has it.
  func contents(holding key: RootKey) throws(StoreError) -> [UInt8]
}

/// A root key, and the counter in hardware that tells old copies of its keychain, where there is one.
typealias OpenedRoot = (root: RootKey, counter: (any HardwareCounter)?)

extension RootKeySource {
  /// What holds the root key; nil where systemd does.
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

  /// The root key of an existing keychain, and its counter. While it is being replaced that is the old one, or the new one
  /// once the old one is overwritten (``RootKeyReplacement``).
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

  /// The same for a new keychain; what is not there is made, but for a credential.
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
      // Between the two looks the new one may have taken its place.
      return try body(holder)
    }
  }
}
