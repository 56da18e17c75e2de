public import LatchkeyKeychainModel

/// What a key on P-256 that never leaves its enclave can do: everything else is made of these two by ``KeyAlgorithm``.
public protocol EnclavePrimitives {
  /// ECDSA of a digest: r and s, 32 bytes each.
  func sign(digest: [UInt8]) throws(StoreError) -> [UInt8]
  /// ECDH with a point in X9.63 form: the x coordinate.
  func sharedSecret(with peer: [UInt8], for operation: PresenceOperation) throws(StoreError) -> [UInt8]
}
