/// The AlgorithmIdentifier of a key (RFC 5480 2.1.1, RFC 3279 2.3.1): a curve by name, or RSA.
enum KeyAlgorithmIdentifier: Hashable {
  case ellipticCurve(Curve)
  case rsa

  /// The content of id-ecPublicKey, 1.2.840.10045.2.1.
  private static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
  /// The content of rsaEncryption, 1.2.840.113549.1.1.1.
  private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]

  /// Reads one. Curves must be named: parameters of a curve of one's own are not read.
  init(_ reader: inout DERReader) throws(KeyError) {
    var parts = try reader.item(.sequence)
    switch try parts.bytes(.objectIdentifier) {
    case Self.ecPublicKey:
      guard parts.comes(.objectIdentifier) else {
        throw .unsupported("a curve without a name: write the key with a named curve")
      }
      self = .ellipticCurve(try Curve(&parts))
    case Self.rsaEncryption:
      guard try parts.bytes(.null).isEmpty else { throw .malformed("RSA has the parameters NULL") }
      self = .rsa
    default: throw .unsupported("a key of an algorithm other than elliptic curves and RSA")
    }
    try parts.finish()
  }

  /// As DER.
  var encoded: [UInt8] {
    var parts = DERWriter()
    switch self {
    case .ellipticCurve(let curve):
      parts.item(.objectIdentifier, Self.ecPublicKey)
      parts.item(.objectIdentifier, curve.objectIdentifier)
    case .rsa:
      parts.item(.objectIdentifier, Self.rsaEncryption)
      parts.item(.null, [])
    }
    return parts.wrapped(.sequence)
  }
}

extension Curve {
  /// The content of the curve's object identifier (RFC 5480 2.1.1.1).
  fileprivate var objectIdentifier: [UInt8] {
    switch self {
    case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
    case .p521: [0x2B, 0x81, 0x04, 0x00, 0x23]
    }
  }

  /// Reads an object identifier.
  init(_ reader: inout DERReader) throws(KeyError) {
    let identifier = try reader.bytes(.objectIdentifier)
    guard let curve = Curve.allCases.first(where: { $0.objectIdentifier == identifier }) else {
      throw .unsupported("a curve other than P-256, P-384 and P-521")
    }
    self = curve
  }
}
