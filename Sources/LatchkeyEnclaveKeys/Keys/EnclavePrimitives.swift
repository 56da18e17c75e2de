public import LatchkeyKeychainModel

/// The operations of a P-256 key that never leaves its enclave: every ``KeyAlgorithm`` is built from these two.
public protocol EnclavePrimitives {
  /// ECDSA of a digest: r and s, 32 bytes each.
  func sign(digest: [UInt8]) throws(StoreError) -> [UInt8]
  /// ECDH with a point in X9.63 form: the x coordinate.
  func sharedSecret(with peer: [UInt8], for operation: PresenceOperation) throws(StoreError) -> [UInt8]
}
