import LatchkeyByteCoding

/// The object identifiers of PKCS #12 files and their contents.
extension DERObjectIdentifier {
  private init(under arc: DERObjectIdentifier, _ numbers: UInt8...) { self.init(content: arc.content + numbers) }

  private static let pkcs = DERObjectIdentifier(1, 2, 840, 113549, 1)
  private static let digestOrCipher = DERObjectIdentifier(1, 2, 840, 113549)
  private static let nist = DERObjectIdentifier(2, 16, 840, 1, 101, 3, 4)

  // Content types (RFC 5652, under pkcs-7).
  static let data = DERObjectIdentifier(under: pkcs, 7, 1)
  static let signedData = DERObjectIdentifier(under: pkcs, 7, 2)
  static let envelopedData = DERObjectIdentifier(under: pkcs, 7, 3)
  static let encryptedData = DERObjectIdentifier(under: pkcs, 7, 6)

  // Bags (RFC 7292 App. D) and types of certificates (RFC 2985).
  static let keyBag = DERObjectIdentifier(under: pkcs, 12, 10, 1, 1)
  static let shroudedKeyBag = DERObjectIdentifier(under: pkcs, 12, 10, 1, 2)
  static let certificateBag = DERObjectIdentifier(under: pkcs, 12, 10, 1, 3)
  static let safeContentsBag = DERObjectIdentifier(under: pkcs, 12, 10, 1, 6)
  static let x509Certificate = DERObjectIdentifier(under: pkcs, 9, 22, 1)

  // Attributes (RFC 2985 5.5).
  static let friendlyName = DERObjectIdentifier(under: pkcs, 9, 20)
  static let localKeyID = DERObjectIdentifier(under: pkcs, 9, 21)

  // Password-based encryption: PKCS #12's own (RFC 7292 App. C) and PKCS #5's (RFC 8018 A).
  static let pbeRC4_128 = DERObjectIdentifier(under: pkcs, 12, 1, 1)
  static let pbeRC4_40 = DERObjectIdentifier(under: pkcs, 12, 1, 2)
  static let pbe3DES = DERObjectIdentifier(under: pkcs, 12, 1, 3)
  static let pbe3DESTwoKeys = DERObjectIdentifier(under: pkcs, 12, 1, 4)
  static let pbeRC2_128 = DERObjectIdentifier(under: pkcs, 12, 1, 5)
  static let pbeRC2_40 = DERObjectIdentifier(under: pkcs, 12, 1, 6)
  static let pbes2 = DERObjectIdentifier(under: pkcs, 5, 13)
  static let pbmac1 = DERObjectIdentifier(under: pkcs, 5, 14)
  static let pbkdf2 = DERObjectIdentifier(under: pkcs, 5, 12)
  static let scrypt = DERObjectIdentifier(1, 3, 6, 1, 4, 1, 11591, 4, 11)

  // HMAC (RFC 8018 B.1.2).
  static let hmacSHA1 = DERObjectIdentifier(under: digestOrCipher, 2, 7)
  static let hmacSHA224 = DERObjectIdentifier(under: digestOrCipher, 2, 8)
  static let hmacSHA256 = DERObjectIdentifier(under: digestOrCipher, 2, 9)
  static let hmacSHA384 = DERObjectIdentifier(under: digestOrCipher, 2, 10)
  static let hmacSHA512 = DERObjectIdentifier(under: digestOrCipher, 2, 11)
  static let hmacSHA512_256 = DERObjectIdentifier(under: digestOrCipher, 2, 13)

  // Digests (RFC 8017 B.1).
  static let sha1 = DERObjectIdentifier(1, 3, 14, 3, 2, 26)
  static let sha256 = DERObjectIdentifier(under: nist, 2, 1)
  static let sha384 = DERObjectIdentifier(under: nist, 2, 2)
  static let sha512 = DERObjectIdentifier(under: nist, 2, 3)
  static let sha224 = DERObjectIdentifier(under: nist, 2, 4)
  static let sha512_256 = DERObjectIdentifier(under: nist, 2, 6)

  // Ciphers (RFC 8018 B.2, RFC 3565).
  static let tripleDES = DERObjectIdentifier(under: digestOrCipher, 3, 7)
  static let aes128 = DERObjectIdentifier(under: nist, 1, 2)
  static let aes192 = DERObjectIdentifier(under: nist, 1, 22)
  static let aes256 = DERObjectIdentifier(under: nist, 1, 42)

  /// The name for errors: the common one, or the numbers.
  var name: String { Self.names[self] ?? description }

  /// Common names of the algorithms and contents that the reader refuses.
  private static let names: [DERObjectIdentifier: String] = [
    pbeRC4_128: "RC4 (pbeWithSHAAnd128BitRC4)", pbeRC4_40: "RC4 (pbeWithSHAAnd40BitRC4)",
    signedData: "a file authenticated by a signature (public-key integrity)",
    envelopedData: "content encrypted for a certificate (public-key privacy)",
    DERObjectIdentifier(under: pkcs, 5, 1): "pbeWithMD2AndDES-CBC",
    DERObjectIdentifier(under: pkcs, 5, 3): "pbeWithMD5AndDES-CBC",
    DERObjectIdentifier(under: pkcs, 5, 4): "pbeWithMD2AndRC2-CBC",
    DERObjectIdentifier(under: pkcs, 5, 6): "pbeWithMD5AndRC2-CBC",
    DERObjectIdentifier(under: pkcs, 5, 10): "pbeWithSHA1AndDES-CBC",
    DERObjectIdentifier(under: pkcs, 5, 11): "pbeWithSHA1AndRC2-CBC",
    DERObjectIdentifier(under: digestOrCipher, 2, 5): "MD5",
    DERObjectIdentifier(under: digestOrCipher, 3, 2): "RC2 in PBES2",
    DERObjectIdentifier(1, 3, 6, 1, 4, 1, 1722, 12, 2, 1, 16): "BLAKE2b", hmacSHA512_256: "HMAC-SHA512/256",
    DERObjectIdentifier(1, 3, 14, 3, 2, 7): "DES",
  ]
}
