package import KeychainModel

@_silgen_name("latchkey_process_keychain_session")
package func processKeychainSession() throws(StoreError) -> KeychainSession {
  throw .configuration("this process has no keychain")
}
