/// An object identifier, by the bytes of its content.
struct ObjectIdentifier: Hashable {
  let content: [UInt8]

  init(content: [UInt8]) { self.content = content }

  /// Of its numbers; the first two are below 40.
  init(_ numbers: Int...) {
    var content = [UInt8(truncatingIfNeeded: numbers[0] * 40 + numbers[1])]
    for number in numbers.dropFirst(2) {
      var digits = [UInt8(truncatingIfNeeded: number & 0x7F)]
      var rest = number >> 7
      while rest > 0 {
        digits.insert(UInt8(truncatingIfNeeded: rest & 0x7F) | 0x80, at: 0)
        rest >>= 7
      }
      content += digits
    }
    self.content = content
  }

  private init(under arc: ObjectIdentifier, _ numbers: UInt8...) { content = arc.content + numbers }

  private static let pkcs = ObjectIdentifier(1, 2, 840, 113549, 1)
  private static let digestOrCipher = ObjectIdentifier(1, 2, 840, 113549)
  private static let nist = ObjectIdentifier(2, 16, 840, 1, 101, 3, 4)

  // Content types (RFC 5652, under pkcs-7).
  static let data = ObjectIdentifier(under: pkcs, 7, 1)
  static let signedData = ObjectIdentifier(under: pkcs, 7, 2)
  static let envelopedData = ObjectIdentifier(under: pkcs, 7, 3)
  static let encryptedData = ObjectIdentifier(under: pkcs, 7, 6)

  // Bags (RFC 7292 App. D) and what certificates are of (RFC 2985).
  static let keyBag = ObjectIdentifier(under: pkcs, 12, 10, 1, 1)
  static let shroudedKeyBag = ObjectIdentifier(under: pkcs, 12, 10, 1, 2)
  static let certificateBag = ObjectIdentifier(under: pkcs, 12, 10, 1, 3)
  static let safeContentsBag = ObjectIdentifier(under: pkcs, 12, 10, 1, 6)
  static let x509Certificate = ObjectIdentifier(under: pkcs, 9, 22, 1)

  // Attributes (RFC 2985 5.5).
  static let friendlyName = ObjectIdentifier(under: pkcs, 9, 20)
  static let localKeyID = ObjectIdentifier(under: pkcs, 9, 21)

  // Encryption by a password: PKCS #12's own (RFC 7292 App. C) and PKCS #5's (RFC 8018 A).
  static let pbeRC4_128 = ObjectIdentifier(under: pkcs, 12, 1, 1)
  static let pbeRC4_40 = ObjectIdentifier(under: pkcs, 12, 1, 2)
  static let pbe3DES = ObjectIdentifier(under: pkcs, 12, 1, 3)
  static let pbe3DESTwoKeys = ObjectIdentifier(under: pkcs, 12, 1, 4)
  static let pbeRC2_128 = ObjectIdentifier(under: pkcs, 12, 1, 5)
  static let pbeRC2_40 = ObjectIdentifier(under: pkcs, 12, 1, 6)
  static let pbes2 = ObjectIdentifier(under: pkcs, 5, 13)
  static let pbmac1 = ObjectIdentifier(under: pkcs, 5, 14)
  static let pbkdf2 = ObjectIdentifier(under: pkcs, 5, 12)
  static let scrypt = ObjectIdentifier(1, 3, 6, 1, 4, 1, 11591, 4, 11)

  // HMAC (RFC 8018 B.1.2).
  static let hmacSHA1 = ObjectIdentifier(under: digestOrCipher, 2, 7)
  static let hmacSHA224 = ObjectIdentifier(under: digestOrCipher, 2, 8)
  static let hmacSHA256 = ObjectIdentifier(under: digestOrCipher, 2, 9)
  static let hmacSHA384 = ObjectIdentifier(under: digestOrCipher, 2, 10)
  static let hmacSHA512 = ObjectIdentifier(under: digestOrCipher, 2, 11)
  static let hmacSHA512_256 = ObjectIdentifier(under: digestOrCipher, 2, 13)

  // Digests (RFC 8017 B.1).
  static let sha1 = ObjectIdentifier(1, 3, 14, 3, 2, 26)
  static let sha256 = ObjectIdentifier(under: nist, 2, 1)
  static let sha384 = ObjectIdentifier(under: nist, 2, 2)
  static let sha512 = ObjectIdentifier(under: nist, 2, 3)
  static let sha224 = ObjectIdentifier(under: nist, 2, 4)
  static let sha512_256 = ObjectIdentifier(under: nist, 2, 6)

  // Ciphers (RFC 8018 B.2, RFC 3565).
  static let tripleDES = ObjectIdentifier(under: digestOrCipher, 3, 7)
  static let aes128 = ObjectIdentifier(under: nist, 1, 2)
  static let aes192 = ObjectIdentifier(under: nist, 1, 22)
  static let aes256 = ObjectIdentifier(under: nist, 1, 42)

  // Keys (RFC 8017, RFC 5480, RFC 8410).
  static let rsaEncryption = ObjectIdentifier(under: pkcs, 1, 1)
  static let rsaPSS = ObjectIdentifier(under: pkcs, 1, 10)
  static let ecPublicKey = ObjectIdentifier(1, 2, 840, 10045, 2, 1)
  static let p256 = ObjectIdentifier(1, 2, 840, 10045, 3, 1, 7)
  static let p384 = ObjectIdentifier(1, 3, 132, 0, 34)
  static let p521 = ObjectIdentifier(1, 3, 132, 0, 35)
  static let ed25519 = ObjectIdentifier(1, 3, 101, 112)
  static let x25519 = ObjectIdentifier(1, 3, 101, 110)

  /// What is refused by a name that people know.
  private static let names: [ObjectIdentifier: String] = [
    pbeRC4_128: "RC4 (pbeWithSHAAnd128BitRC4)", pbeRC4_40: "RC4 (pbeWithSHAAnd40BitRC4)",
    signedData: "a file authenticated by a signature (public-key integrity)",
    envelopedData: "content encrypted for a certificate (public-key privacy)",
    ObjectIdentifier(under: pkcs, 5, 1): "pbeWithMD2AndDES-CBC",
    ObjectIdentifier(under: pkcs, 5, 3): "pbeWithMD5AndDES-CBC",
    ObjectIdentifier(under: pkcs, 5, 4): "pbeWithMD2AndRC2-CBC",
    ObjectIdentifier(under: pkcs, 5, 6): "pbeWithMD5AndRC2-CBC",
    ObjectIdentifier(under: pkcs, 5, 10): "pbeWithSHA1AndDES-CBC",
    ObjectIdentifier(under: pkcs, 5, 11): "pbeWithSHA1AndRC2-CBC",
    ObjectIdentifier(under: digestOrCipher, 2, 5): "MD5", ObjectIdentifier(under: digestOrCipher, 3, 2): "RC2 in PBES2",
    ObjectIdentifier(1, 3, 6, 1, 4, 1, 1722, 12, 2, 1, 16): "BLAKE2b", hmacSHA512_256: "HMAC-SHA512/256",
    ObjectIdentifier(1, 3, 14, 3, 2, 7): "DES",
  ]
}

extension ObjectIdentifier: CustomStringConvertible {
  /// The name, or the numbers with dots between; those that are too long for that as what they are.
  var description: String {
    if let name = Self.names[self] { return name }
    guard let first = content.first, content.count <= 32 else {
      return "an object identifier of \(content.count) bytes"
    }
    var numbers = first < 80 ? [UInt64(first / 40), UInt64(first % 40)] : [2, UInt64(first) - 80]
    var number: UInt64 = 0
    for byte in content.dropFirst() {
      guard number < 1 << 56 else { return "an object identifier of \(content.count) bytes" }
      number = number << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 {
        numbers.append(number)
        number = 0
      }
    }
    return numbers.map(String.init).joined(separator: ".")
  }
}

extension BERReader {
  /// An OBJECT IDENTIFIER.
  mutating func identifier(_ field: StaticString) throws(PKCS12Error) -> ObjectIdentifier {
    let content = try item(.objectIdentifier, field).bytes()
    guard !content.isEmpty else { throw .malformed("\(field) is an OBJECT IDENTIFIER without a byte") }
    return ObjectIdentifier(content: content)
  }
}
