import Glibc
package import LatchkeyKeychainModel

/// Where a keychain's root key comes from.
public enum RootKeySource: Hashable, Sendable {
  /// A file of 32 random bytes that only its owner may read; nil is `keychain.key` beside the database. Made with the
  /// keychain if it is not there.
  case keyFile(path: String? = nil)
  /// A credential of 32 bytes that systemd hands to the service (`LoadCredential=`, `LoadCredentialEncrypted=`,
  /// `SetCredentialEncrypted=`), by name. It is never made here.
  case systemdCredential(name: String = "latchkey.root")
  #if TPM
    /// A file in which a TPM 2.0 has sealed 32 random bytes; nil is the database's name with `.tpm` in the place of its
    /// last extension (`keychain.tpm`). Made with the keychain if it is not there, with a counter in the TPM by which an
    /// old copy of the database is told: one file serves one keychain.
    ///
    /// - registers: platform configuration registers (PCRs of SHA-256, 0 to 23) that must be as they were when the file was
    ///   made; none: only the TPM must be the same.
    /// - tcti: how the TPM is reached, as tpm2-tss writes it; nil: `device:/dev/tpmrm0`.
    case tpm(path: String? = nil, registers: Set<Int> = [], tcti: String? = nil)
  #endif

  /// What this root key protects against, and what it does not: two sentences for the log.
  public var warning: String {
    switch self {
    case .keyFile:
      """
      the keychain's root key is a file: it protects against anyone who gets the database alone and against other users \
      of this machine, not against anyone who gets both files (the disk, a backup), other programs of the same user, or \
      root. Keep the key file on other storage, set a passcode, or use a systemd credential sealed by a TPM
      """
    case .systemdCredential:
      """
      the keychain's root key is a systemd credential: it protects as well as the credential is sealed (by the host's \
      key, a TPM, or not at all), and against other users of this machine, not against other programs of the same \
      service, or root while the service runs
      """
    #if TPM
      case .tpm:
        """
        the keychain's root key is sealed in a TPM: it protects against anyone who gets the disk or a backup without this \
        machine, and against other users of it, not against other programs of the same user, or root; a cleared or \
        broken TPM takes the keychain with it. Set a passcode, and keep an export
        """
    #endif
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
    try open(databasePath: databasePath, credentialsDirectory: credentialsDirectory).root
  }

  /// The root key for a new keychain: the one that is there, or else a new one.
  ///
  /// - Throws: as ``load(databasePath:credentialsDirectory:)``; `.readOnly`, `.diskFull`, `.inputOutput`.
  package func loadOrCreate(
    databasePath: String, credentialsDirectory: String? = SystemdCredential.directory
  ) throws(StoreError) -> RootKey {
    try openOrCreate(databasePath: databasePath, credentialsDirectory: credentialsDirectory).root
  }
}
