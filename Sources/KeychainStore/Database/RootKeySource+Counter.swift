import EnclaveKeys
import KeychainModel

extension RootKeySource {
  /// The root key of an existing keychain, and the counter that tells old copies of its file, where there is one.
  ///
  /// - Throws: as ``load(databasePath:credentialsDirectory:)``; `.hardware`.
  func open(databasePath: String) throws(StoreError) -> (root: RootKey, counter: (any HardwareCounter)?) {
    #if TPM
      if case .tpm(let path, let registers, let tcti) = self {
        return try RootKeyTPM(path: path, databasePath: databasePath, registers: registers, tcti: tcti).load()
      }
    #endif
    return (try load(databasePath: databasePath), nil)
  }

  /// The same for a new keychain; what is not there is made.
  ///
  /// - Throws: as ``loadOrCreate(databasePath:credentialsDirectory:)``; `.hardware`.
  func openOrCreate(databasePath: String) throws(StoreError) -> (root: RootKey, counter: (any HardwareCounter)?) {
    #if TPM
      if case .tpm(let path, let registers, let tcti) = self {
        return try RootKeyTPM(path: path, databasePath: databasePath, registers: registers, tcti: tcti).loadOrCreate()
      }
    #endif
    return (try loadOrCreate(databasePath: databasePath), nil)
  }
}
