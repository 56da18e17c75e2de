internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// A key of an enclave together with who consents to its use: what was said when it was made or found holds for as long
/// as the reference lives.
struct KeyInEnclave: EnclavePrimitives {
  /// Where the key lives.
  let enclave: any Enclave
  /// The key.
  let key: EnclaveKey
  /// Who consents.
  let consent: Consent

  func sign(digest: [UInt8]) throws(StoreError) -> [UInt8] {
    try enclave.sign(digest: digest, with: key, consent: consent)
  }

  func sharedSecret(with peer: [UInt8], for operation: PresenceOperation) throws(StoreError) -> [UInt8] {
    try enclave.sharedSecret(with: peer, by: key, for: operation, consent: consent)
  }

  /// Its public half.
  func publicKey() throws(KeyFault) -> PublicKey {
    try inKey { () throws(KeyError) in
      try PublicKey(externalRepresentation: key.publicKey, family: .ellipticCurve)
    }
  }
}
