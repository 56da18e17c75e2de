import LatchkeyByteCoding

extension PrivateKey {
  /// Parses a key in one of three DER forms, detected by their first items: PKCS #8's PrivateKeyInfo or OneAsymmetricKey, not
  /// encrypted (RFC 5208, RFC 5958); ECPrivateKey with its curve's name (RFC 5915); RSAPrivateKey (RFC 8017). The caller wipes
  /// the bytes.
  ///
  /// - Throws: `.malformed`, also for a public key that does not match; `.unsupported` for other algorithms and curves, and for
  ///   RSA outside of 1024 to 8192 bits.
  public convenience init(derRepresentation bytes: [UInt8]) throws(KeyError) {
    guard bytes.count <= PublicKey.longestEncoding else {
      throw .malformed("a private key of \(bytes.count) bytes is too long")
    }
    var whole = KeyReader(bytes)
    var parts = try whole.item(.sequence, "a private key")
    try whole.finish("a private key")
    guard parts.comes(.integer) else {
      throw .unsupported("an encrypted private key: decrypt it first (openssl pkcs8)")
    }
    let version = try parts.unsignedInteger("the version of a private key").bytes()
    if parts.comes(.octetString) {
      try self.init(SEC1PrivateKey.decode(bytes))
    } else if parts.comes(.integer) {
      try self.init(pkcs1: bytes)
    } else {
      try self.init(PKCS8PrivateKey.decode(version: version, &parts))
    }
  }
}

/// The fields after the version in a OneAsymmetricKey.
enum PKCS8PrivateKey {
  static func decode(version: [UInt8], _ parts: inout KeyReader) throws(KeyError) -> PrivateKey {
    // Version zero, or one, where a public key may follow at the end.
    guard version == [] || version == [1] else { throw .malformed("PKCS #8 has version 0 or 1") }
    let algorithm = try KeyAlgorithmIdentifier(try parts.algorithmIdentifier("the algorithm of a key"))
    var inner = try parts.bytes(.octetString, "a private key")
    defer { inner.wipe() }
    if parts.comes(.context0) { _ = try parts.element("the attributes of a private key") }
    var publicBytes: [UInt8]?
    if version == [1], parts.comes(.implicit1) {
      publicBytes = try parts.wholeBitString("the public half of a key", as: .implicit1).bytes()
    }
    try parts.finish("a private key")
    let key: PrivateKey
    switch algorithm {
    case .ellipticCurve(let curve): key = try SEC1PrivateKey.decode(inner, on: curve)
    case .rsa: key = try PrivateKey(pkcs1: inner)
    }
    guard let publicBytes else { return key }
    let publicKey =
      switch algorithm {
      case .ellipticCurve(let curve): try PublicKey(point: publicBytes, on: curve)
      case .rsa: try PublicKey(pkcs1: publicBytes)
      }
    guard publicKey == key.publicKey else {
      throw .malformed("the private key and the public key do not belong together")
    }
    return key
  }
}
