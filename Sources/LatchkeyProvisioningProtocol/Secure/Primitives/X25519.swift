import Crypto
import LatchkeyByteCoding

/// X25519 (RFC 7748) as a function of a scalar and a coordinate.
enum X25519 {
  /// The length of scalars and coordinates, in bytes.
  static let length = 32

  /// The multiple of a point; nil if it is the neutral element, or if a length is wrong.
  ///
  /// swift-crypto does not promise to refuse the neutral element.
  static func multiply(_ scalar: SecretBytes, _ point: [UInt8]) -> SecretBytes? {
    guard scalar.count == length, point.count == length,
      let key = try? scalar.withUnsafeBytes({ try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) }),
      let peer = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: point),
      let shared = try? key.sharedSecretFromKeyAgreement(with: peer)
    else { return nil }
    var bytes = shared.withUnsafeBytes { [UInt8]($0) }
    let isZero = constantTimeIsZero(bytes)
    let product = SecretBytes(consuming: &bytes)
    return isZero ? nil : product
  }

  /// The multiple of the base point; nil if the length is wrong.
  static func publicKey(_ scalar: SecretBytes) -> [UInt8]? {
    guard let key = try? scalar.withUnsafeBytes({ try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) })
    else { return nil }
    return Array(key.publicKey.rawRepresentation)
  }
}
