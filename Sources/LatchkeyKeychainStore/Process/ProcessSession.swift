package import LatchkeyKeychainModel

/// What `KeychainSession.current()` finds when the program is linked.
@_silgen_name("latchkey_process_keychain_session")
package func processKeychainSession() throws(StoreError) -> KeychainSession {
  try ProcessKeychain.shared.session()
}
