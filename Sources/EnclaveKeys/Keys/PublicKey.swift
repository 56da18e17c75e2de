/// A public key: on a curve, or RSA.
public struct PublicKey: Hashable, Sendable {
  /// The kind and the size.
  public let type: KeyType
  /// X9.63's uncompressed point for a curve (04 ‖ X ‖ Y); PKCS #1's RSAPublicKey for RSA (RFC 8017 A.1.1).
  public let externalRepresentation: [UInt8]

  /// The key of an external representation.
  ///
  /// - Throws: `.malformed`; `.unsupported` for an RSA modulus outside of 1024 to 16384 bits.
  public init(externalRepresentation: [UInt8], family: KeyFamily) throws(KeyError) {
    throw .unsupported("not there yet")
  }

  /// SHA-1 of the external representation: `kSecAttrApplicationLabel`.
  public var applicationLabel: [UInt8] { [] }

  /// Whether it can do `operation` by `algorithm`.
  public func supports(_ algorithm: KeyAlgorithm, for operation: KeyOperation) -> Bool { false }

  /// Whether `signature` is one of `input`, a message or a digest as the algorithm says.
  ///
  /// - Throws: `.unsupported`; `.invalidInput` for a digest of a wrong length. A malformed signature is just not valid.
  public func isValid(
    _ signature: [UInt8], of input: [UInt8], by algorithm: KeyAlgorithm
  ) throws(KeyError) -> Bool { throw .unsupported("not there yet") }

  /// Encrypts.
  public func encrypt(_ text: [UInt8], by algorithm: KeyAlgorithm) throws(KeyError) -> [UInt8] {
    throw .unsupported("not there yet")
  }
}

/// The two families of keys (`kSecAttrKeyType`).
public enum KeyFamily: Hashable, Sendable {
  case ellipticCurve, rsa
}
