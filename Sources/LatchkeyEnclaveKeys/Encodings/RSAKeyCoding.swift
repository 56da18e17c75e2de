import LatchkeyByteCoding

/// RSA keys in PKCS #1's form (RFC 8017 A.1).
enum RSAKeyCoding {
  /// The maximum length of an RSAPrivateKey in bytes: nine numbers, of which three are as long as the modulus and five half as
  /// long, plus a margin of half a modulus.
  static let longest = RSASizes.readable.upperBound / 8 * 8

  /// Returns the bits of an RSAPublicKey's modulus. Validates its form, not its numbers.
  static func checkPublicKey(_ bytes: [UInt8]) throws(KeyError) -> Int {
    guard bytes.count <= longest else { throw .unsupported("an RSA key of \(bytes.count) bytes is too long") }
    var whole = KeyReader(bytes)
    var key = try whole.item(.sequence, "an RSA key")
    try whole.finish("an RSA key")
    let modulus = try key.unsignedInteger("the modulus").bytes()
    _ = try key.unsignedInteger("the exponent")
    try key.finish("an RSA key")
    return try checkedBits(modulus)
  }

  /// Returns the public key of an RSAPrivateKey. Validates its form, not its numbers.
  static func publicKey(ofPrivateKey bytes: [UInt8]) throws(KeyError) -> [UInt8] {
    guard bytes.count <= longest else { throw .unsupported("an RSA key of \(bytes.count) bytes is too long") }
    var whole = KeyReader(bytes)
    var key = try whole.item(.sequence, "an RSA key")
    try whole.finish("an RSA key")
    guard try key.unsignedInteger("the version of an RSA key").isEmpty else {
      throw .unsupported("RSA keys of more than two primes")
    }
    let modulus = try key.unsignedInteger("the modulus").bytes()
    let exponent = try key.unsignedInteger("the exponent").bytes()
    for _ in 0..<6 { _ = try key.unsignedInteger("a secret number") }
    try key.finish("an RSA key")
    _ = try checkedBits(modulus)
    return publicKey(modulus: modulus, exponent: exponent)
  }

  /// Encodes an RSAPublicKey from its numbers, most significant byte first.
  static func publicKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
    DEREncoder.sequence { numbers in
      numbers.unsignedInteger(modulus)
      numbers.unsignedInteger(exponent)
    }
  }

  /// Returns modulus and exponent of an RSAPublicKey that was validated before.
  static func numbers(ofPublicKey bytes: [UInt8]) throws(KeyError) -> (modulus: [UInt8], exponent: [UInt8]) {
    var whole = KeyReader(bytes)
    var key = try whole.item(.sequence, "an RSA key")
    return (try key.unsignedInteger("the modulus").bytes(), try key.unsignedInteger("the exponent").bytes())
  }

  private static func checkedBits(_ modulus: [UInt8]) throws(KeyError) -> Int {
    let bits = 8 * modulus.count - (modulus.first?.leadingZeroBitCount ?? 0)
    guard RSASizes.readable.contains(bits) else {
      throw .unsupported("RSA keys have a modulus of 1024 to 8192 bits here, not \(bits)")
    }
    return bits
  }
}
