import Crypto
import CryptoExtras
import Foundation

/// A public key: on a curve, or RSA.
public struct PublicKey: Hashable, Sendable {
  /// The type and the size.
  public let type: KeyType
  /// X9.63's uncompressed point for a curve (04 ‖ X ‖ Y); PKCS #1's RSAPublicKey for RSA (RFC 8017 A.1.1).
  public let externalRepresentation: [UInt8]

  /// The key in swift-crypto's form.
  private let material: Material

  private enum Material: Sendable {
    case curve(CurvePublicKey)
    case rsa(_RSA.Signing.PublicKey)
  }

  /// Parses an external representation. A point may also be compressed (02 or 03 ‖ X); it is stored uncompressed.
  ///
  /// - Throws: `.malformed`; `.invalidInput` for a point that is not on its curve; `.unsupported` for an RSA modulus
  ///   outside of 1024 to 8192 bits.
  public init(externalRepresentation: [UInt8], family: KeyFamily) throws(KeyError) {
    switch family {
    case .ellipticCurve: try self.init(point: externalRepresentation)
    case .rsa: try self.init(pkcs1: externalRepresentation)
    }
  }

  /// Parses a point in X9.63's form; its length determines the curve.
  private init(point: [UInt8]) throws(KeyError) {
    let uncompressed = Curve(pointByteCount: point.count)
    guard let curve = uncompressed ?? Curve.allCases.first(where: { 1 + $0.byteCount == point.count }) else {
      throw .malformed("no curve of P-256, P-384 and P-521 has points of \(point.count) bytes")
    }
    try self.init(point: point, on: curve)
  }

  /// Parses a point in X9.63's form, compressed or not.
  init(point: [UInt8], on curve: Curve) throws(KeyError) {
    let key = try CurvePublicKey(point, on: curve)
    self.init(key, point: point.first == 4 ? point : key.point)
  }

  /// Creates a key from a validated point.
  init(_ key: CurvePublicKey, point: [UInt8]) {
    type = .ellipticCurve(key.curve)
    externalRepresentation = point
    material = .curve(key)
  }

  /// Parses an RSAPublicKey.
  init(pkcs1: [UInt8]) throws(KeyError) {
    let bits = try RSAKeyCoding.checkPublicKey(pkcs1)
    do {
      self.init(try _RSA.Signing.PublicKey(unsafeDERRepresentation: pkcs1), bits: bits, pkcs1: pkcs1)
    } catch {
      throw .malformed(
        "these numbers are no RSA key: the modulus and the exponent must be odd, the exponent 3 to 33 bits")
    }
  }

  private init(_ key: _RSA.Signing.PublicKey, bits: Int, pkcs1: [UInt8]) {
    type = .rsa(bits: bits)
    externalRepresentation = pkcs1
    material = .rsa(key)
  }

  /// SHA-1 of the external representation: `kSecAttrApplicationLabel`.
  public var applicationLabel: [UInt8] { DigestAlgorithm.sha1.hash(externalRepresentation) }

  /// The family of the key.
  public var family: KeyFamily {
    switch type {
    case .ellipticCurve: .ellipticCurve
    case .rsa: .rsa
    }
  }

  /// The block size in bytes (`SecKeyGetBlockSize`): a coordinate of the curve, or RSA's modulus.
  public var blockByteCount: Int {
    switch type {
    case .ellipticCurve(let curve): curve.byteCount
    case .rsa(let bits): RSASizes.blockByteCount(bits)
    }
  }

  /// Whether it supports `operation` by `algorithm`: verify or encrypt.
  public func supports(_ algorithm: KeyAlgorithm, for operation: KeyOperation) -> Bool {
    !KeyAlgorithm.privateOperations.contains(operation) && algorithm.isSupported(by: type, for: operation)
  }

  /// Whether `signature` is valid for `input`, a message or a digest depending on the algorithm.
  ///
  /// - Throws: `.unsupported`; `.invalidInput` for a digest of a wrong length. A malformed signature is merely invalid.
  public func isValid(
    _ signature: [UInt8], of input: [UInt8], by algorithm: KeyAlgorithm
  ) throws(KeyError) -> Bool {
    guard supports(algorithm, for: .verify) else { throw .unsupported("this key cannot verify by this algorithm") }
    switch (material, algorithm) {
    case (.curve(let key), .ecdsa(let kind, let digest, let format)):
      let digest = try kind.digest(of: input, by: digest)
      guard let signature = ECDSASignatureCoding.decode(signature, as: format, on: key.curve) else { return false }
      return key.isValid(signature, of: digest)
    case (.rsa(let key), _): return try key.isValid(signature, of: input, by: RSASignatureScheme(algorithm))
    default: throw .unsupported("this key cannot verify by this algorithm")
    }
  }

  /// Encrypts.
  ///
  /// - Throws: `.unsupported`; `.invalidInput` for a text longer than RSA's limit.
  public func encrypt(_ text: [UInt8], by algorithm: KeyAlgorithm) throws(KeyError) -> [UInt8] {
    guard supports(algorithm, for: .encrypt) else { throw .unsupported("this key cannot encrypt by this algorithm") }
    switch type {
    case .ellipticCurve(let curve):
      return try ECIES.seal(text, to: externalRepresentation, by: ECIES.Scheme(algorithm, on: curve))
    case .rsa(let bits):
      return try RSAEncryption.encrypt(text, to: externalRepresentation, bits: bits, by: algorithm)
    }
  }

  /// Whether both keys are equal.
  public static func == (one: PublicKey, other: PublicKey) -> Bool {
    one.type == other.type && one.externalRepresentation == other.externalRepresentation
  }

  /// Hashes the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(externalRepresentation) }
}

/// The two families of keys (`kSecAttrKeyType`).
public enum KeyFamily: Hashable, Sendable {
  case ellipticCurve, rsa
}
