public import LatchkeyKeychainModel

/// What makes P-256 keys and uses them: software, or a TPM. An engine knows no store, no user and no policy's meaning:
/// what it must keep secret it hands out to be sealed (``CreatedKey/secret``), and gets back once it was consented to. Calls block.
public protocol KeyEngine: AnyObject, Sendable {
  /// Where its keys live.
  var backend: EnclaveBackend { get }

  /// Makes a key that may sign and agree.
  ///
  /// - Parameter control: what guards it; an engine that can has the hardware enforce it.
  /// - Throws: `.hardware`, `.inputOutput`.
  func create(_ control: AccessControl) throws(StoreError) -> CreatedKey

  /// The key of `blob` again, to be used.
  ///
  /// - Parameters:
  ///   - blob: ``CreatedKey/blob``.
  ///   - secret: ``CreatedKey/secret``, opened; the engine's copy is wiped with the key.
  /// - Throws: `.foreignKey` for a blob of another TPM; `.damaged`, `.hardware`.
  func load(
    publicKey: [UInt8], blob: [UInt8], secret: [UInt8], control: AccessControl
  ) throws(StoreError) -> any LoadedKey
}

/// A key that an engine has made.
public struct CreatedKey: Sendable {
  /// The public key in X9.63 form: 65 bytes.
  public var publicKey: [UInt8]
  /// What the engine makes it from again, beside the secret; not secret itself (a TPM's public and private areas; for the
  /// software engine the time of creation).
  public var blob: [UInt8]
  /// What must be sealed under the key's access control and wiped: the scalar of a software key, the authorization value
  /// of one in a TPM.
  public var secret: [UInt8]

  /// A key of these parts.
  public init(publicKey: [UInt8], blob: [UInt8], secret: [UInt8]) {
    self.publicKey = publicKey
    self.blob = blob
    self.secret = secret
  }
}

/// A key that can be used now. Anyone who holds it needs no further consent; it wipes what it keeps when it goes.
public protocol LoadedKey: AnyObject, Sendable {
  /// ECDSA of a digest: r and s, 32 bytes each.
  func sign(digest: [UInt8]) throws(StoreError) -> [UInt8]
  /// ECDH with a point in X9.63 form: the x coordinate, 32 bytes.
  ///
  /// - Throws: `.invalidParameter` for what is no point of the curve.
  func sharedSecret(with peer: [UInt8]) throws(StoreError) -> [UInt8]
  /// A statement about the key that only its hardware could make: the CBOR of an attestation object's `fmt` and `attStmt`;
  /// nil if the engine can make none.
  func attest(challenge: [UInt8]) throws(StoreError) -> [UInt8]?
}
