import Crypto
import Foundation
import LatchkeyByteCoding

/// A public key for comparison: its algorithm and its bytes in a certificate. Equal for the same key.
struct PublicHalf: Hashable {
  /// The algorithm, or the curve.
  private let algorithm: DERObjectIdentifier
  private let bytes: [UInt8]

  /// Parses a SubjectPublicKeyInfo (RFC 5280 4.1.2.7, RFC 5480).
  init(subjectPublicKeyInfo reader: inout PKCS12Reader) throws(PKCS12Error) {
    var info = try SubjectPublicKeyInfo(&reader)
    try self.init(try info.algorithm.keyAlgorithm(), try info.key())
  }

  /// Creates the public key of a private key (RFC 5958): read from it for RSA, computed for elliptic curves. For a curve that
  /// this module cannot compute on, the file's point is used unverified.
  ///
  /// - Throws: also for algorithms whose public key cannot be derived here.
  init(pkcs8: [UInt8]) throws(PKCS12Error) {
    var whole = PKCS12Reader(SecretBytes(pkcs8), depth: 16)
    var info = try whole.item(.sequence, "a key")
    _ = try info.number("the version of a key")
    var identifier = try info.algorithmIdentifier("the algorithm of a key")
    let algorithm = try identifier.keyAlgorithm()
    let inner = try info.string(.octetString, "a key").restarted(depth: 16)
    switch algorithm {
    case .rsaEncryption: try self.init(algorithm, try inner.rsaPublicKey())
    case .ed25519, .x25519: try self.init(algorithm, try inner.curve25519PublicKey(algorithm))
    default: try self.init(algorithm, try inner.point(on: algorithm))
    }
  }

  private init(_ algorithm: DERObjectIdentifier, _ bytes: [UInt8]) throws(PKCS12Error) {
    self.algorithm = algorithm
    // A point has two encodings; the uncompressed one is compared.
    switch (algorithm, bytes.first) {
    case (.p256, 2), (.p256, 3):
      self.bytes = try Self.whole { try P256.Signing.PublicKey(compressedRepresentation: bytes).x963Representation }
    case (.p384, 2), (.p384, 3):
      self.bytes = try Self.whole { try P384.Signing.PublicKey(compressedRepresentation: bytes).x963Representation }
    case (.p521, 2), (.p521, 3):
      self.bytes = try Self.whole { try P521.Signing.PublicKey(compressedRepresentation: bytes).x963Representation }
    default: self.bytes = bytes
    }
  }

  fileprivate static func whole(_ point: () throws -> Data) throws(PKCS12Error) -> [UInt8] {
    do { return [UInt8](try point()) } catch { throw .malformed("a key that is none on its curve") }
  }
}

extension AlgorithmIdentifier where Failure == PKCS12Error {
  /// Parses the algorithm of a key: the curve for keys on curves, RSA for all of its kinds.
  fileprivate mutating func keyAlgorithm() throws(PKCS12Error) -> DERObjectIdentifier {
    switch algorithm {
    case .ecPublicKey:
      guard parameters.comes(.objectIdentifier) else { throw .unsupported("a curve without a name") }
      return try parameters.identifier("the curve of a key")
    case .rsaPSS: return .rsaEncryption
    default: return algorithm
    }
  }
}

extension PKCS12Reader {
  /// The RSAPublicKey of an RSAPrivateKey (RFC 8017 A.1).
  fileprivate func rsaPublicKey() throws(PKCS12Error) -> [UInt8] {
    var whole = self
    var key = try whole.item(.sequence, "an RSA key")
    _ = try key.number("the version of an RSA key")
    let modulus = try key.item(.integer, "the modulus").bytes()
    let exponent = try key.item(.integer, "the exponent").bytes()
    return DEREncoder.sequence { writer in
      writer.unsignedInteger(modulus)
      writer.unsignedInteger(exponent)
    }
  }

  /// The public key of a CurvePrivateKey (RFC 8410 7).
  fileprivate func curve25519PublicKey(_ algorithm: DERObjectIdentifier) throws(PKCS12Error) -> [UInt8] {
    var whole = self
    let key = try whole.item(.octetString, "a key")
    return try PublicHalf.whole {
      try key.withSecret { secret in
        algorithm == .ed25519
          ? try Curve25519.Signing.PrivateKey(rawRepresentation: secret).publicKey.rawRepresentation
          : try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret).publicKey.rawRepresentation
      }
    }
  }

  /// The point of an ECPrivateKey (RFC 5915 3).
  fileprivate func point(on curve: DERObjectIdentifier) throws(PKCS12Error) -> [UInt8] {
    var whole = self
    var key = try whole.item(.sequence, "a key on a curve")
    _ = try key.number("the version of a key on a curve")
    let scalar = try key.item(.octetString, "a key on a curve")
    switch curve {
    case .p256:
      return try PublicHalf.whole {
        try scalar.withSecret(32) { try P256.Signing.PrivateKey(rawRepresentation: $0).publicKey.x963Representation }
      }
    case .p384:
      return try PublicHalf.whole {
        try scalar.withSecret(48) { try P384.Signing.PrivateKey(rawRepresentation: $0).publicKey.x963Representation }
      }
    case .p521:
      return try PublicHalf.whole {
        try scalar.withSecret(66) { try P521.Signing.PrivateKey(rawRepresentation: $0).publicKey.x963Representation }
      }
    default:
      if key.comes(.context0) { _ = try key.element("the curve of a key") }
      var explicit = try key.item(.context1, "the point of a key")
      return try explicit.wholeBitString("the point of a key").bytes()
    }
  }

  /// Calls `body` with the remaining bytes, left-padded with zeros to `size`, since some writers omit leading zeros. Wipes the
  /// copy.
  private func withSecret<Answer>(_ size: Int = 0, _ body: ([UInt8]) throws -> Answer) rethrows -> Answer {
    let digits = bytes()
    var secret = [UInt8](repeating: 0, count: max(0, size - digits.count))
    secret.reserveCapacity(max(size, digits.count))
    append(to: &secret)
    defer { secret.wipe() }
    return try body(secret)
  }
}
