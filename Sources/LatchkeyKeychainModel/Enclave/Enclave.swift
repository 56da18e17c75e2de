/// Keys that are made and used inside and never come out: P-256, to sign and to agree. Calls are synchronous, and block
/// where a user is asked.
public protocol Enclave: AnyObject, Sendable {
  /// Where new keys live.
  var backend: EnclaveBackend { get }

  /// Makes a key that `control` guards. It is not stored: its representation is the caller's to keep.
  ///
  /// - Throws: `.unavailable`, naming `LATCHKEY_PRESENCE`, for a constraint that nothing here can meet; `.invalidParameter`
  ///   for a protection that is not ThisDeviceOnly; `.locked`, `.passcodeNotSet`, `.presence`, `.hardware`.
  func create(_ control: AccessControl, consent: Consent) throws(StoreError) -> EnclaveKey

  /// The key of a representation that this enclave has made. Nobody is asked.
  ///
  /// - Throws: `.foreignKey` if another keychain, or another TPM, has made it; `.damaged`.
  func key(representation: [UInt8]) throws(StoreError) -> EnclaveKey

  /// Signs a digest of at most 64 bytes (ECDSA, of a longer digest the first 32 bytes count): r and s, 32 bytes each, most
  /// significant byte first.
  ///
  /// - Throws: `.keyUsage` without the flag `privateKeyUsage`; `.invalidated`; `.presence`, `.locked`, `.hardware`,
  ///   `.itemNotFound` if the key was deleted.
  func sign(digest: [UInt8], with key: EnclaveKey, consent: Consent) throws(StoreError) -> [UInt8]

  /// Agrees with `peer`, a point in X9.63 form (65 bytes): the x coordinate, 32 bytes.
  ///
  /// - Throws: as ``sign(digest:with:consent:)``; `.invalidParameter` for what is no point of the curve.
  func sharedSecret(
    with peer: [UInt8], by key: EnclaveKey, for operation: PresenceOperation, consent: Consent
  ) throws(StoreError) -> [UInt8]

  /// A statement of where the key lives and what guards it, bound to `challenge` (CBOR; WebAuthn 8.3 for a TPM).
  ///
  /// - Throws: as ``sign(digest:with:consent:)``.
  func attest(_ key: EnclaveKey, challenge: [UInt8], consent: Consent) throws(StoreError) -> [UInt8]

  /// Whether the key is lost for good, because what was enrolled when it was made has changed. Nobody is asked.
  func isInvalidated(_ key: EnclaveKey) throws(StoreError) -> Bool
}

/// Where a key lives.
public enum EnclaveBackend: String, Hashable, Sendable {
  /// In this process's memory while it is used, sealed by the keychain otherwise.
  case software
  /// In a TPM 2.0.
  case tpm2
}

/// A key of an enclave: everything about it but what it keeps.
public struct EnclaveKey: Hashable, Sendable {
  /// 16 bytes that name it.
  public var id: [UInt8]
  /// The public key in X9.63 form: 65 bytes.
  public var publicKey: [UInt8]
  /// What guards it.
  public var control: AccessControl
  /// Where it lives.
  public var backend: EnclaveBackend
  /// What the enclave makes it from again; worth nothing anywhere else.
  public var representation: [UInt8]
  /// The item that keeps the representation. It is read at each use, so that a deleted key is gone; nil: the
  /// representation is used.
  public var reference: PersistentReference?

  /// A key of these parts.
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
