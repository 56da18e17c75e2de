import LatchkeyByteCoding

/// Private keys in the forms of files. Each array is allocated once, so that wiping it leaves no copy.
extension PrivateKey {
  /// The key as OpenSSL's traditional files hold it: ECPrivateKey with the curve and the point (RFC 5915), or RSAPrivateKey
  /// (RFC 8017 A.1.2). The caller wipes it.
  package var traditionalRepresentation: [UInt8] {
    guard case .ellipticCurve(let curve) = type, var scalar else { return externalRepresentation }
    defer { scalar.wipe() }
    var parameters = DEREncoder()
    parameters.nested(.context0) { KeyAlgorithmIdentifier.ellipticCurve(curve).encodeParameters(&$0) }
    parameters.nested(.context1) { $0.bitString(publicKey.externalRepresentation) }
    let version: [UInt8] = [ASN1Tag.integer.rawValue, 1, 1]
    return Self.sequence([version, Self.header(.octetString, scalar.count), scalar, parameters.bytes])
  }

  /// PrivateKeyInfo (RFC 5208). The caller wipes it.
  package var pkcs8Representation: [UInt8] {
    var inner = traditionalRepresentation
    defer { inner.wipe() }
    let identifier: KeyAlgorithmIdentifier =
      switch type {
      case .ellipticCurve(let curve): .ellipticCurve(curve)
      case .rsa: .rsa
      }
    var algorithm = DEREncoder()
    algorithm.algorithmIdentifier(identifier.algorithm, identifier.encodeParameters)
    let version: [UInt8] = [ASN1Tag.integer.rawValue, 1, 0]
    return Self.sequence([version, algorithm.bytes, Self.header(.octetString, inner.count), inner])
  }

  private static func header(_ tag: ASN1Tag, _ count: Int) -> [UInt8] { [tag.rawValue] + DEREncoder.length(count) }

  private static func sequence(_ parts: [[UInt8]]) -> [UInt8] {
    let count = parts.reduce(0) { $0 + $1.count }
    let header = header(.sequence, count)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(header.count + count)
    bytes += header
    for part in parts { bytes += part }
    return bytes
  }
}
