import Crypto
import Foundation
import LatchkeySecretData

/// A scalar of a curve for swift-crypto's signing. BoringSSL wipes it when the last copy of this value is released.
enum CurvePrivateKey: Sendable {
  case p256(P256.Signing.PrivateKey)
  case p384(P384.Signing.PrivateKey)
  case p521(P521.Signing.PrivateKey)

  /// Generates a key.
  init(generatedOn curve: Curve) {
    switch curve {
    case .p256: self = .p256(P256.Signing.PrivateKey(compactRepresentable: false))
    case .p384: self = .p384(P384.Signing.PrivateKey(compactRepresentable: false))
    case .p521: self = .p521(P521.Signing.PrivateKey(compactRepresentable: false))
    }
  }

  /// Creates a key from a scalar, most significant byte first and as long as the curve's order.
  ///
  /// - Throws: `.malformed` for another length, for zero, and for a value not below the order.
  init(scalar: [UInt8], on curve: Curve) throws(KeyError) {
    do {
      switch curve {
      case .p256: self = .p256(try P256.Signing.PrivateKey(rawRepresentation: scalar))
      case .p384: self = .p384(try P384.Signing.PrivateKey(rawRepresentation: scalar))
      case .p521: self = .p521(try P521.Signing.PrivateKey(rawRepresentation: scalar))
      }
    } catch {
      throw .malformed(
        "a private key of P-\(curve.rawValue) is a number of 1 to its order, in \(curve.byteCount) bytes")
    }
  }

  /// The public point.
  var publicKey: CurvePublicKey {
    switch self {
    case .p256(let key): .p256(key.publicKey)
    case .p384(let key): .p384(key.publicKey)
    case .p521(let key): .p521(key.publicKey)
    }
  }

  /// The scalar. The caller wipes it.
  var scalar: [UInt8] {
    var bytes: Data
    switch self {
    case .p256(let key): bytes = key.rawRepresentation
    case .p384(let key): bytes = key.rawRepresentation
    case .p521(let key): bytes = key.rawRepresentation
    }
    return bytes.movedOut()
  }

  /// ECDSA of a digest of 1 to 64 bytes: r and s.
  func sign(digest: [UInt8]) throws(KeyError) -> [UInt8] {
    guard let digest = PreparedDigest(digest) else {
      throw .invalidInput("a digest has 1 to 64 bytes, not \(digest.count)")
    }
    do {
      switch self {
      case .p256(let key): return [UInt8](try key.signature(for: digest).rawRepresentation)
      case .p384(let key): return [UInt8](try key.signature(for: digest).rawRepresentation)
      case .p521(let key): return [UInt8](try key.signature(for: digest).rawRepresentation)
      }
    } catch {
      throw .invalidInput("the digest cannot be signed by this key")
    }
  }
}
