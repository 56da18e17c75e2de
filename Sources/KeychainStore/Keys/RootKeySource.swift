import Glibc
package import KeychainModel

/// Where a keychain's root key comes from.
public enum RootKeySource: Hashable, Sendable {
  /// A file of 32 random bytes that only its owner may read; nil is `keychain.key` beside the database. Made with the
  /// keychain if it is not there.
  case keyFile(path: String? = nil)
  /// A credential of 32 bytes that systemd hands to the service (`LoadCredential=`, `LoadCredentialEncrypted=`,
  /// `SetCredentialEncrypted=`), by name. It is never made here.
  case systemdCredential(name: String = "latchkey.root")

  /// What this root key protects against, and what it does not: two sentences for the log.
  public var warning: String {
    switch self {
    case .keyFile:
      """
      the keychain's root key is a file: it protects against whoever gets the database alone and against other users \
      of this machine, not against whoever gets both files (the disk, a backup), other programs of the same user, or \
      root. Keep the key file on other storage, set a passcode, or use a systemd credential sealed by a TPM
      """
    case .systemdCredential:
      """
      the keychain's root key is a systemd credential: it protects as well as the credential is sealed (by the host's \
      key, a TPM, or not at all), and against other users of this machine, not against other programs of the same \
      service, or root while the service runs
      """
    }
  }

  /// The root key of an existing keychain.
  ///
  /// - Parameters:
  ///   - databasePath: the keychain's file.
  ///   - credentialsDirectory: where systemd puts credentials.
  /// - Throws: `.rootKeyUnavailable` if it is not there or is none; `.unsafeLocation` if others could read or exchange it.
  package func load(
    databasePath: String, credentialsDirectory: String? = SystemdCredential.directory
  ) throws(StoreError) -> RootKey {
    switch self {
    case .keyFile(let path):
      return try RootKeyFile(path: path, databasePath: databasePath).load()
    case .systemdCredential(let name):
      return try SystemdCredential(name: name, directory: credentialsDirectory).rootKey()
    }
  }

  /// The root key for a new keychain: the one that is there, or else a new one.
  ///
  /// - Throws: as ``load(databasePath:credentialsDirectory:)``; `.readOnly`, `.diskFull`, `.inputOutput`.
  package func loadOrCreate(
    databasePath: String, credentialsDirectory: String? = SystemdCredential.directory
  ) throws(StoreError) -> RootKey {
    if case .keyFile(let path) = self {
      return try RootKeyFile(path: path, databasePath: databasePath).loadOrCreate()
    }
    return try load(databasePath: databasePath, credentialsDirectory: credentialsDirectory)
  }
}
