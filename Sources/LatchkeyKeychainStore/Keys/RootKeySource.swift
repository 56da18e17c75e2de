import Glibc
package import LatchkeyKeychainModel

/// The source of a keychain's root key.
public enum RootKeySource: Hashable, Sendable {
  /// A file of 32 random bytes that only its owner may read; nil is `keychain.key` beside the database. Created with the
  /// keychain if it is missing.
  case keyFile(path: String? = nil)
  /// A credential of 32 bytes that systemd passes to the service (`LoadCredential=`, `LoadCredentialEncrypted=`,
  /// `SetCredentialEncrypted=`), by name. It is never created here.
  case systemdCredential(name: String = "latchkey.root")
  #if TPM
    /// A file in which a TPM 2.0 has sealed 32 random bytes; nil is the database's name with the extension `.tpm`
    /// (`keychain.tpm`). Created with the keychain if it is missing, together with a counter in the TPM that detects an old
    /// copy of the database: one file serves one keychain.
    ///
    /// - registers: platform configuration registers (PCRs of SHA-256, 0 to 23) that must have the same values as when the file
    ///   was created; none: only the TPM must be the same.
    /// - tcti: the TCTI string of tpm2-tss for the TPM; nil: `device:/dev/tpmrm0`.
    case tpm(path: String? = nil, registers: Set<Int> = [], tcti: String? = nil)
  #endif

  /// Two sentences for the log: which attacks this root key protects against, and which not.
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

  /// Loads the root key of an existing keychain.
  ///
  /// - Parameters:
  ///   - databasePath: the keychain's file.
  ///   - credentialsDirectory: systemd's folder of credentials.
  /// - Throws: `.rootKeyUnavailable` if it is missing or malformed; `.unsafeLocation` if others could read or replace it.
  package func load(
    databasePath: String, credentialsDirectory: String? = SystemdCredential.directory
  ) throws(StoreError) -> RootKey {
    try open(databasePath: databasePath, credentialsDirectory: credentialsDirectory).root
  }

  /// Loads the root key for a new keychain, or creates it if it is missing.
  ///
  /// - Throws: as ``load(databasePath:credentialsDirectory:)``; `.readOnly`, `.diskFull`, `.inputOutput`.
  package func loadOrCreate(
    databasePath: String, credentialsDirectory: String? = SystemdCredential.directory
  ) throws(StoreError) -> RootKey {
    try openOrCreate(databasePath: databasePath, credentialsDirectory: credentialsDirectory).root
  }
}
