import LatchkeyEnclaveKeys
public import LatchkeyKeychainModel
import LatchkeyUserPresence
import Synchronization

extension KeychainDatabase {
  /// The keychain's enclave (``ItemStore/enclave``), created at its first use.
  public var enclave: (any Enclave)? {
    if let enclave = enclaveMade.withLock({ $0 }) { return enclave }
    let engines = EngineSet(configuration.engines, attestationChain: configuration.attestationChain)
    let made = KeychainEnclave(
      KeychainEnclave.Parts(
        ring: parts.ring, presence: presence as? any PresenceAuthority, engines: engines,
        stored: { [weak self] (reference) throws(StoreError) in
          guard let self else { throw .inputOutput("the keychain of this key was closed: open it again") }
          return try storedKey(reference)
        }))
    let enclave = enclaveMade.withLock { kept in
      if kept == nil { kept = made }
      return kept
    }
    engines.logBackend()
    return enclave
  }

  private func storedKey(_ reference: PersistentReference) throws(StoreError) -> [UInt8]? {
    do {
      return try enclaveRepresentation(of: reference)
    } catch .itemNotFound {
      return nil
    }
  }
}
