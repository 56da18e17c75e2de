import LatchkeyByteCoding

/// ECDH after the curve's part is done: the x coordinate itself, or a key derived from it.
enum KeyAgreement {
  /// What the algorithm makes of `secret`, the x coordinate, which is wiped; the caller's to wipe.
  ///
  /// - Throws: `.invalidInput` without a size, or for one out of range; `.unsupported` for what is no ECDH.
  static func derive(
    from secret: inout [UInt8], by algorithm: KeyAlgorithm, size: Int?, sharedInfo: [UInt8]
  ) throws(KeyError) -> [UInt8] {
    defer { secret.wipe() }
    guard case .ecdh(_, let digest) = algorithm else { throw .unsupported("keys agree by ECDH") }
    guard let digest else {
      // Moved, not copied: nothing is left to be wiped.
      let coordinate = secret
      secret = []
      return coordinate
    }
    return try X963KeyDerivation.derive(keySize(size), from: secret, sharedInfo: sharedInfo, by: digest)
  }

  /// The point of `peer` if it is on `curve`, and what is asked of the algorithm can be had: checked before a secret is made.
  static func peerPoint(
    _ peer: PublicKey, on curve: Curve, by algorithm: KeyAlgorithm, size: Int?, sharedInfo: [UInt8]
  ) throws(KeyError) -> [UInt8] {
    guard case .ecdh(_, let digest) = algorithm else { throw .unsupported("keys agree by ECDH") }
    guard peer.type == .ellipticCurve(curve) else {
      throw .invalidInput("the other key is not on P-\(curve.rawValue)")
    }
    if digest != nil { try X963KeyDerivation.check(keySize(size), sharedInfo) }
    return peer.externalRepresentation
  }

  private static func keySize(_ size: Int?) throws(KeyError) -> Int {
    guard let size else { throw .invalidInput("a key derivation function wants the size of the key") }
    return size
  }
}
