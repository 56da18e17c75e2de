import LatchkeyByteCoding

extension PublicKey {
  /// The maximum length of a key's encoding, in bytes.
  static let longestEncoding = 16_384

  /// Parses a SubjectPublicKeyInfo in DER (RFC 5480, RFC 3279), as in certificates and PEM files of public keys.
  ///
  /// - Throws: `.malformed`; `.invalidInput` for a point that is not on its curve; `.unsupported` for other algorithms and
  ///   curves, and for RSA outside of 1024 to 8192 bits.
  public init(derRepresentation bytes: [UInt8]) throws(KeyError) {
    guard bytes.count <= Self.longestEncoding else {
      throw .malformed("a public key of \(bytes.count) bytes is too long")
    }
    var whole = KeyReader(bytes)
    var info = try SubjectPublicKeyInfo(&whole)
    try whole.finish("a public key")
    let algorithm = try KeyAlgorithmIdentifier(info.algorithm)
    let key = try info.key()
    try info.finish()
    switch algorithm {
    case .ellipticCurve(let curve): try self.init(point: key, on: curve)
    case .rsa: try self.init(pkcs1: key)
    }
  }

  /// SubjectPublicKeyInfo in DER; a point is uncompressed.
  public var derRepresentation: [UInt8] {
    let algorithm: KeyAlgorithmIdentifier =
      switch type {
      case .ellipticCurve(let curve): .ellipticCurve(curve)
      case .rsa: .rsa
      }
    var encoder = DEREncoder()
    encoder.subjectPublicKeyInfo(
      algorithm.algorithm, key: externalRepresentation, algorithm.encodeParameters)
    return encoder.bytes
  }
}
