public import KeychainModel

/// What a key on P-256 that never leaves its enclave can do: everything else is made of these two by ``KeyAlgorithm``.
public protocol EnclavePrimitives {
  /// ECDSA of a digest: r and s, 32 bytes each.
  func sign(digest: [UInt8]) throws(StoreError) -> [UInt8]
  /// ECDH with a point in X9.63 form: the x coordinate.
  func sharedSecret(with peer: [UInt8], for operation: PresenceOperation) throws(StoreError) -> [UInt8]
}

/// The algorithms over an enclave's primitives.
public enum EnclaveOperations {
  /// What the input's fault is, or what the enclave says.
  public enum Fault: Error {
    case key(KeyError)
    case enclave(StoreError)
  }
  /// Whether a key of an enclave can do `operation` by `algorithm`: ECDSA, ECDH, and to decrypt ECIES.
  public static func supports(_ algorithm: KeyAlgorithm, for operation: KeyOperation) -> Bool { false }
  /// Signs a message or a digest.
  public static func sign(
    _ input: [UInt8], by algorithm: KeyAlgorithm, with primitives: some EnclavePrimitives
  ) throws(Fault) -> [UInt8] { throw .key(.unsupported("not there yet")) }
  /// Agrees.
  public static func exchange(
    with peer: PublicKey, by algorithm: KeyAlgorithm, size: Int?, sharedInfo: [UInt8],
    with primitives: some EnclavePrimitives
  ) throws(Fault) -> [UInt8] { throw .key(.unsupported("not there yet")) }
  /// Decrypts ECIES; `publicKey` is the enclave key's own.
  public static func decrypt(
    _ ciphertext: [UInt8], by algorithm: KeyAlgorithm, publicKey: PublicKey, with primitives: some EnclavePrimitives
  ) throws(Fault) -> [UInt8] { throw .key(.unsupported("not there yet")) }
}
