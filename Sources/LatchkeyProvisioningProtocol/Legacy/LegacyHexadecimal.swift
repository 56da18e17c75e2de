import LatchkeyByteCoding

/// Hexadecimal text in the forms that the original app and its GMObjC library write and read.
public enum LegacyHexadecimal {
  /// The bytes of `text`: digits in either case, spaces left out.
  ///
  /// As in the original app's helper, the first digit of an odd number is a byte by itself, and a text without digits is nil.
  /// Other characters are nil, too; the helper reads uninitialized memory there.
  public static func decode(_ text: String) -> [UInt8]? {
    let digits = text.utf8.filter { $0 != 0x20 }
    guard !digits.isEmpty else { return nil }
    let even = digits.count % 2 == 0 ? digits : [0x30] + digits
    return try? Hexadecimal.decode(String(decoding: even, as: UTF8.self))
  }

  /// A private key from 48 digits, or from GMObjC 3.x' 64, of which the first 16 are zero. An odd digit is an error here.
  ///
  /// - Throws: `Secp192k1.Failure.invalidPrivateKey` for anything else, and for numbers out of range.
  public static func privateKey(_ key: String) throws(Secp192k1.Failure) -> Secp192k1.PrivateKey {
    guard let bytes = try? Hexadecimal.decode(key) else { throw .invalidPrivateKey }
    let excess = bytes.count - Secp192k1.coordinateLength
    guard excess == 0 || excess == 8, bytes.prefix(excess).allSatisfy({ $0 == 0 }) else { throw .invalidPrivateKey }
    return try Secp192k1.PrivateKey(bytes: Array(bytes.dropFirst(excess)))
  }

  /// A public key from 96 digits, or from GMObjC's 98, of which the first two are 04. An odd digit is an error here.
  ///
  /// - Throws: `Secp192k1.Failure.invalidPublicKey` for anything else, and for bytes that are no point of the curve.
  public static func publicKey(_ key: String) throws(Secp192k1.Failure) -> Secp192k1.PublicKey {
    guard let bytes = try? Hexadecimal.decode(key) else { throw .invalidPublicKey }
    guard bytes.count == Secp192k1.publicKeyLength + 1, bytes.first == 0x04 else {
      return try Secp192k1.PublicKey(bytes: bytes)
    }
    return try Secp192k1.PublicKey(bytes: Array(bytes.dropFirst()))
  }
}
