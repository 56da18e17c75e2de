import Crypto
import Foundation

/// A validated point of a curve, for swift-crypto's verification.
enum CurvePublicKey: Sendable {
  case p256(P256.Signing.PublicKey)
  case p384(P384.Signing.PublicKey)
  case p521(P521.Signing.PublicKey)

  /// Parses a point in X9.63's uncompressed (04 ‖ X ‖ Y) or compressed form (02 or 03 ‖ X).
  ///
  /// - Throws: `.malformed` for bytes that do not encode a point; `.invalidInput` for a point that is not on the curve.
  init(_ point: [UInt8], on curve: Curve) throws(KeyError) {
    let isCompressed = point.first != 4
    guard point.count == (isCompressed ? 1 + curve.byteCount : curve.pointByteCount), let form = point.first,
      (2...4).contains(form)
    else { throw .malformed("a point of P-\(curve.rawValue) has 04 ‖ X ‖ Y, or 02 or 03 ‖ X") }
    do {
      switch (curve, isCompressed) {
      case (.p256, false): self = .p256(try P256.Signing.PublicKey(x963Representation: point))
      case (.p384, false): self = .p384(try P384.Signing.PublicKey(x963Representation: point))
      case (.p521, false): self = .p521(try P521.Signing.PublicKey(x963Representation: point))
      case (.p256, true): self = .p256(try P256.Signing.PublicKey(compressedRepresentation: point))
      case (.p384, true): self = .p384(try P384.Signing.PublicKey(compressedRepresentation: point))
      case (.p521, true): self = .p521(try P521.Signing.PublicKey(compressedRepresentation: point))
      }
    } catch {
      throw .invalidInput("the point is not on P-\(curve.rawValue)")
    }
  }

  /// The curve.
  var curve: Curve {
    switch self {
    case .p256: .p256
    case .p384: .p384
    case .p521: .p521
    }
  }

  /// The point in X9.63's uncompressed form.
  var point: [UInt8] {
    switch self {
    case .p256(let key): [UInt8](key.x963Representation)
    case .p384(let key): [UInt8](key.x963Representation)
    case .p521(let key): [UInt8](key.x963Representation)
    }
  }

  /// Whether `signature`, r and s, is valid for `digest`.
  func isValid(_ signature: [UInt8], of digest: [UInt8]) -> Bool {
    guard let digest = PreparedDigest(digest) else { return false }
    switch self {
    case .p256(let key):
      guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      return key.isValidSignature(signature, for: digest)
    case .p384(let key):
      guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      return key.isValidSignature(signature, for: digest)
    case .p521(let key):
      guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      return key.isValidSignature(signature, for: digest)
    }
  }
}
