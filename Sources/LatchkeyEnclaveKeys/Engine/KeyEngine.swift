public import LatchkeyKeychainModel

/// Generates P-256 keys and uses them: in software, or in a TPM. An engine knows no store, no user and no policy. It returns a
/// key's secret to be sealed (``CreatedKey/secret``), and receives it again after consent. Calls block.
public protocol KeyEngine: AnyObject, Sendable {
  /// The place of its keys.
  var backend: EnclaveBackend { get }

  /// Generates a key that can sign and agree.
  ///
  /// - Parameter control: the key's access control; an engine with hardware has the hardware enforce it if it can.
  /// - Throws: `.hardware`, `.inputOutput`.
  func create(_ control: AccessControl) throws(StoreError) -> CreatedKey

  /// Loads the key of `blob` for use.
  ///
  /// - Parameters:
  ///   - blob: ``CreatedKey/blob``.
  ///   - secret: ``CreatedKey/secret``, opened; the engine's copy is wiped with the key.
  /// - Throws: `.foreignKey` for a blob of another TPM; `.damaged`, `.hardware`.
  func load(
    publicKey: [UInt8], blob: [UInt8], secret: [UInt8], control: AccessControl
  ) throws(StoreError) -> any LoadedKey
}

/// A key that an engine generated.
public struct CreatedKey: Sendable {
  /// The public key in X9.63 form: 65 bytes.
  public var publicKey: [UInt8]
  /// The engine's data for loading the key, besides the secret; not itself secret (a TPM's public and private areas; for the
  /// software engine the time of creation).
  public var blob: [UInt8]
  /// The secret, which the caller seals under the key's access control and wipes: the scalar of a software key, the
  /// authorization value of a key in a TPM.
  public var secret: [UInt8]

  /// Creates a key.
  public init(publicKey: [UInt8], blob: [UInt8], secret: [UInt8]) {
    self.publicKey = publicKey
    self.blob = blob
    self.secret = secret
  }
}

/// A loaded key. Its holder needs no further consent. It wipes its secrets when it is released.
public protocol LoadedKey: AnyObject, Sendable {
  /// ECDSA of a digest: r and s, 32 bytes each.
  func sign(digest: [UInt8]) throws(StoreError) -> [UInt8]
  /// ECDH with a point in X9.63 form: the x coordinate, 32 bytes.
  ///
  /// - Throws: `.invalidParameter` for bytes that are not a point of the curve.
  func sharedSecret(with peer: [UInt8]) throws(StoreError) -> [UInt8]
  /// A statement about the key that only its hardware can make: the CBOR of an attestation object's `fmt` and `attStmt`; nil if
  /// the engine makes none.
  func attest(challenge: [UInt8]) throws(StoreError) -> [UInt8]?
}
