package import LatchkeyKeychainModel

/// The entry point that `KeychainSession.current()` resolves at link time.
@_silgen_name("latchkey_process_keychain_session")
package func processKeychainSession() throws(StoreError) -> KeychainSession {
  try ProcessKeychain.shared.session()
}
