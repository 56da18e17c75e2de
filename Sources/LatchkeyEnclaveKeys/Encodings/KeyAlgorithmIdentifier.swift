import LatchkeyByteCoding

/// The AlgorithmIdentifier of a key (RFC 5480 2.1.1, RFC 3279 2.3.1): a curve by name, or RSA.
enum KeyAlgorithmIdentifier: Hashable {
  case ellipticCurve(Curve)
  case rsa

  /// The error for an unsupported algorithm.
  static let unknownAlgorithm = KeyError.unsupported("a key of an algorithm other than elliptic curves and RSA")

  /// Parses the parameters of `identifier`. Curves must be named: explicit parameters are refused.
  init(_ identifier: AlgorithmIdentifier<KeyError>) throws(KeyError) {
    var parameters = identifier.parameters
    switch identifier.algorithm {
    case .ecPublicKey:
      guard parameters.comes(.objectIdentifier) else {
        throw .unsupported("a curve without a name: write the key with a named curve")
      }
      self = .ellipticCurve(try Curve(&parameters))
    case .rsaEncryption:
      guard try parameters.item(.null, "the parameters of RSA").isEmpty else {
        throw .malformed("RSA has the parameters NULL")
      }
      self = .rsa
    default: throw Self.unknownAlgorithm
    }
    try parameters.finish("the algorithm of a key")
  }

  /// The algorithm's own identifier.
  var algorithm: DERObjectIdentifier {
    switch self {
    case .ellipticCurve: .ecPublicKey
    case .rsa: .rsaEncryption
    }
  }

  /// Writes the parameters.
  func encodeParameters(_ encoder: inout DEREncoder) {
    switch self {
    case .ellipticCurve(let curve): encoder.identifier(curve.objectIdentifier)
    case .rsa: encoder.item(.null, [])
    }
  }
}

extension Curve {
  /// The curve's object identifier (RFC 5480 2.1.1.1).
  fileprivate var objectIdentifier: DERObjectIdentifier {
    switch self {
    case .p256: .p256
    case .p384: .p384
    case .p521: .p521
    }
  }

  /// Parses an object identifier.
  init(_ reader: inout KeyReader) throws(KeyError) {
    let identifier = DERObjectIdentifier(content: try reader.bytes(.objectIdentifier, "a curve"))
    guard let curve = Curve.allCases.first(where: { $0.objectIdentifier == identifier }) else {
      throw .unsupported("a curve other than P-256, P-384 and P-521")
    }
    self = curve
  }
}
