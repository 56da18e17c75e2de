import LatchkeyProvisioningProtocol

/// The names of GMObjC, the Objective-C library that the document uses, on this package's own curve.
public enum GMSm2Utils {
  /// OpenSSL's number of secp192k1, which `setEllipticCurveType:` takes.
  public static let secp192k1: Int32 = 711

  /// `setEllipticCurveType:`. There is one curve here, and it is always chosen.
  ///
  /// - Returns: Whether this is the curve; GMObjC takes any number.
  @discardableResult
  public static func setEllipticCurveType(_ type: Int32) -> Bool { type == secp192k1 }

  /// `createKeyPair`: the public key, 49 bytes of which the first is 04, and the private key, 32 bytes of which the first 8
  /// are zero, both in hexadecimal.
  public static func createKeyPair() -> [String] {
    var generator = SystemRandomNumberGenerator()
    guard let key = try? Secp192k1.PrivateKey(using: &generator) else { return [] }
    var secret: [UInt8] = []
    for index in key.exposedBytes.indices { secret.append(key.exposedBytes[index]) }
    return ["04" + hexadecimal(key.publicKey.bytes), String(repeating: "0", count: 16) + hexadecimal(secret)]
  }

  /// `computeECDH:privateKey:`: the 24 bytes that both sides get, in hexadecimal.
  ///
  /// - Returns: Nil for keys that are none. GMObjC goes on with a point that is not on the curve.
  public static func computeECDH(_ publicKey: String, privateKey: String) -> String? {
    guard let mine = try? LegacyHexadecimal.privateKey(privateKey),
      let theirs = try? LegacyHexadecimal.publicKey(publicKey),
      let secret = try? mine.sharedSecret(with: theirs)
    else { return nil }
    var bytes: [UInt8] = []
    for index in secret.exposedBytes.indices { bytes.append(secret.exposedBytes[index]) }
    return hexadecimal(bytes)
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
