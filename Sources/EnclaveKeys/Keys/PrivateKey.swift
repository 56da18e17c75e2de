/// A private key in this process's memory, outside of any enclave. It wipes itself.
public final class PrivateKey: Sendable {
  /// Its public half.
  public let publicKey: PublicKey

  /// A new one.
  ///
  /// - Throws: `.unsupported` for RSA outside of 1024 to 8192 bits, or bits that are no multiple of 8.
  public static func generate(_ type: KeyType) throws(KeyError) -> PrivateKey { throw .unsupported("not there yet") }

  /// The key of an external representation: X9.63's 04 ‖ X ‖ Y ‖ K for a curve, PKCS #1's RSAPrivateKey for RSA. The halves
  /// are checked against one another.
  public init(externalRepresentation: [UInt8], family: KeyFamily) throws(KeyError) {
    throw .unsupported("not there yet")
  }

  /// The same again; the caller's to wipe.
  public var externalRepresentation: [UInt8] { [] }

  /// The kind and the size.
  public var type: KeyType { publicKey.type }

  /// Whether it can do `operation` by `algorithm`.
  public func supports(_ algorithm: KeyAlgorithm, for operation: KeyOperation) -> Bool { false }

  /// Signs `input`, a message or a digest as the algorithm says.
  public func sign(_ input: [UInt8], by algorithm: KeyAlgorithm) throws(KeyError) -> [UInt8] {
    throw .unsupported("not there yet")
  }

  /// Decrypts.
  public func decrypt(_ ciphertext: [UInt8], by algorithm: KeyAlgorithm) throws(KeyError) -> [UInt8] {
    throw .unsupported("not there yet")
  }

  /// Agrees with `peer`. `size` and `sharedInfo` are the key derivation's, and of no interest without one.
  public func exchange(
    with peer: PublicKey, by algorithm: KeyAlgorithm, size: Int?, sharedInfo: [UInt8]
  ) throws(KeyError) -> [UInt8] { throw .unsupported("not there yet") }
}
