internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// A key of an enclave together with the source of consent to its use. The consent that was passed when the key was created
/// or found applies for the lifetime of the reference.
struct EnclaveKeyHandle: EnclavePrimitives {
  /// The enclave that holds the key.
  let enclave: any Enclave
  /// The key.
  let key: EnclaveKey
  /// The source of consent.
  let consent: Consent

  func sign(digest: [UInt8]) throws(StoreError) -> [UInt8] {
    try enclave.sign(digest: digest, with: key, consent: consent)
  }

  func sharedSecret(with peer: [UInt8], for operation: PresenceOperation) throws(StoreError) -> [UInt8] {
    try enclave.sharedSecret(with: peer, by: key, for: operation, consent: consent)
  }

  /// The public half.
  func publicKey() throws(KeyFault) -> PublicKey {
    try inKey { () throws(KeyError) in
      try PublicKey(externalRepresentation: key.publicKey, family: .ellipticCurve)
    }
  }
}
