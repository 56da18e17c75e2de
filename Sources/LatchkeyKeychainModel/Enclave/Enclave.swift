/// Creates and uses P-256 private keys that never leave it, for signatures and key agreement. Calls are synchronous, and
/// block while they prompt the user.
public protocol Enclave: AnyObject, Sendable {
  /// The backend of new keys.
  var backend: EnclaveBackend { get }

  /// Creates a key that `control` guards. The enclave does not store it: the caller stores its representation.
  ///
  /// - Throws: `.unavailable`, naming `LATCHKEY_PRESENCE`, for a constraint that no authenticator can meet; `.invalidParameter`
  ///   for a protection that is not ThisDeviceOnly; `.locked`, `.passcodeNotSet`, `.presence`, `.hardware`.
  func create(_ control: AccessControl, consent: Consent) throws(StoreError) -> EnclaveKey

  /// Loads a key from a representation that this enclave created, without a prompt.
  ///
  /// - Throws: `.foreignKey` if another keychain, or another TPM, created it; `.damaged`.
  func key(representation: [UInt8]) throws(StoreError) -> EnclaveKey

  /// Signs a digest of at most 64 bytes with ECDSA, which uses the first 32 bytes of a longer digest. Returns r and s, 32
  /// bytes each, most significant byte first.
  ///
  /// - Throws: `.keyUsage` without the flag `privateKeyUsage`; `.invalidated`; `.presence`, `.locked`, `.hardware`,
  ///   `.itemNotFound` if the key was deleted.
  func sign(digest: [UInt8], with key: EnclaveKey, consent: Consent) throws(StoreError) -> [UInt8]

  /// Performs key agreement with `peer`, a point in X9.63 form (65 bytes). Returns the x coordinate, 32 bytes.
  ///
  /// - Throws: as ``sign(digest:with:consent:)``; `.invalidParameter` if `peer` is not a point of the curve.
  func sharedSecret(
    with peer: [UInt8], by key: EnclaveKey, for operation: PresenceOperation, consent: Consent
  ) throws(StoreError) -> [UInt8]

  /// Attests the key's backend and access control, bound to `challenge` (CBOR; WebAuthn 8.3 for a TPM).
  ///
  /// - Throws: as ``sign(digest:with:consent:)``.
  func attest(_ key: EnclaveKey, challenge: [UInt8], consent: Consent) throws(StoreError) -> [UInt8]

  /// Whether the key is permanently invalid because the enrollment changed after its creation. Does not prompt.
  func isInvalidated(_ key: EnclaveKey) throws(StoreError) -> Bool
}

/// The place where a private key is held.
public enum EnclaveBackend: String, Hashable, Sendable {
  /// In this process's memory during use, sealed by the keychain otherwise.
  case software
  /// In a TPM 2.0.
  case tpm2
}

/// A key of an enclave, without its private part.
public struct EnclaveKey: Hashable, Sendable {
  /// The identifier: 16 bytes.
  public var id: [UInt8]
  /// The public key in X9.63 form: 65 bytes.
  public var publicKey: [UInt8]
  /// The access control that guards the key.
  public var control: AccessControl
  /// The backend that holds the key.
  public var backend: EnclaveBackend
  /// The sealed form from which the same enclave loads the key; useless in any other enclave.
  public var representation: [UInt8]
  /// The item that stores the representation. The enclave reads it at each use, so that a deleted key no longer works. Nil:
  /// the enclave uses ``representation``.
  public var reference: PersistentReference?

  /// Creates a key from its parts.
  public init(
    id: [UInt8], publicKey: [UInt8], control: AccessControl, backend: EnclaveBackend, representation: [UInt8],
    reference: PersistentReference? = nil
  ) {
    self.id = id
    self.publicKey = publicKey
    self.control = control
    self.backend = backend
    self.representation = representation
    self.reference = reference
  }
}
