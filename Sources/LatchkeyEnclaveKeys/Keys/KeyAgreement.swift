import LatchkeyByteCoding

/// ECDH after the curve operation: the x coordinate itself, or a key derived from it.
enum KeyAgreement {
  /// Derives the algorithm's output from `secret`, the x coordinate, and wipes `secret`. The caller wipes the output.
  ///
  /// - Throws: `.invalidInput` without a size, or for one out of range; `.unsupported` for algorithms other than ECDH.
  static func derive(
    from secret: inout [UInt8], by algorithm: KeyAlgorithm, size: Int?, sharedInfo: [UInt8]
  ) throws(KeyError) -> [UInt8] {
    defer { secret.wipe() }
    guard case .ecdh(_, let digest) = algorithm else { throw .unsupported("keys agree by ECDH") }
    guard let digest else {
      // The bytes move without a copy, so nothing is left to wipe.
      let coordinate = secret
      secret = []
      return coordinate
    }
    return try X963KeyDerivation.derive(keySize(size), from: secret, sharedInfo: sharedInfo, by: digest)
  }

  /// Validates the parameters before a secret exists, and returns the point of `peer`, which must be on `curve`.
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
