import Crypto
import Foundation
import LatchkeyByteCoding

/// A scalar of a curve for swift-crypto's key agreement. Its signing keys hold the same scalar, but cannot agree.
enum CurveAgreementKey: Sendable {
  case p256(P256.KeyAgreement.PrivateKey)
  case p384(P384.KeyAgreement.PrivateKey)
  case p521(P521.KeyAgreement.PrivateKey)

  /// Generates an ephemeral key.
  init(generatedOn curve: Curve) {
    switch curve {
    case .p256: self = .p256(P256.KeyAgreement.PrivateKey(compactRepresentable: false))
    case .p384: self = .p384(P384.KeyAgreement.PrivateKey(compactRepresentable: false))
    case .p521: self = .p521(P521.KeyAgreement.PrivateKey(compactRepresentable: false))
    }
  }

  /// Creates a key with a signing key's scalar.
  init(_ key: CurvePrivateKey) throws(KeyError) {
    var scalar = key.scalar
    defer { scalar.wipe() }
    do {
      switch key {
      case .p256: self = .p256(try P256.KeyAgreement.PrivateKey(rawRepresentation: scalar))
      case .p384: self = .p384(try P384.KeyAgreement.PrivateKey(rawRepresentation: scalar))
      case .p521: self = .p521(try P521.KeyAgreement.PrivateKey(rawRepresentation: scalar))
      }
    } catch {
      throw .malformed("the scalar is out of range")
    }
  }

  /// The public point in X9.63's uncompressed form.
  var point: [UInt8] {
    switch self {
    case .p256(let key): [UInt8](key.publicKey.x963Representation)
    case .p384(let key): [UInt8](key.publicKey.x963Representation)
    case .p521(let key): [UInt8](key.publicKey.x963Representation)
    }
  }

  /// The x coordinate of this scalar times `point` (X9.63's uncompressed form). The caller wipes it.
  ///
  /// - Throws: `.invalidInput` for bytes that are not a point of the curve.
  func sharedSecret(with point: [UInt8]) throws(KeyError) -> [UInt8] {
    do {
      switch self {
      case .p256(let key):
        let peer = try P256.KeyAgreement.PublicKey(x963Representation: point)
        return try key.sharedSecretFromKeyAgreement(with: peer).withUnsafeBytes { [UInt8]($0) }
      case .p384(let key):
        let peer = try P384.KeyAgreement.PublicKey(x963Representation: point)
        return try key.sharedSecretFromKeyAgreement(with: peer).withUnsafeBytes { [UInt8]($0) }
      case .p521(let key):
        let peer = try P521.KeyAgreement.PublicKey(x963Representation: point)
        return try key.sharedSecretFromKeyAgreement(with: peer).withUnsafeBytes { [UInt8]($0) }
      }
    } catch {
      throw .invalidInput("the other key is no point of this key's curve")
    }
  }
}
