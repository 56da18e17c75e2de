import Crypto
import CryptoExtras
import Foundation
import LatchkeyByteCoding
import LatchkeySecretData

/// The encryption of a part of a file under the password: PBES2 (RFC 8018 6.2) or one of PKCS #12's own (RFC 7292 App. C).
enum EncryptionScheme {
  /// PBES2 with AES in CBC; the size of the key in bytes.
  case pbes2AES(KeyDerivation, keySize: Int, vector: [UInt8])
  /// PBES2 with DES-EDE3 in CBC.
  case pbes2TripleDES(KeyDerivation, vector: UInt64)
  /// 3DES in CBC, key and vector derived by PKCS #12 with SHA-1; the key has 16 or 24 bytes.
  case tripleDES(salt: [UInt8], rounds: Int, keySize: Int)
  /// RC2 in CBC likewise; the key has 5 or 16 bytes.
  case rc2(salt: [UInt8], rounds: Int, keySize: Int)

  /// Parses an AlgorithmIdentifier.
  init(_ reader: inout PKCS12Reader, _ limits: PKCS12Limits) throws(PKCS12Error) {
    let identifier = try reader.algorithmIdentifier("the encryption")
    var (name, parts) = (identifier.algorithm, identifier.parameters)
    guard name != .pbes2 else {
      var parameters = try parts.item(.sequence, "the parameters of PBES2")
      try parts.finish("the encryption")
      let derivation = try KeyDerivation(&parameters, limits)
      try self.init(cipher: &parameters, derivation)
      try parameters.finish("the parameters of PBES2")
      return
    }
    guard [.pbe3DES, .pbe3DESTwoKeys, .pbeRC2_128, .pbeRC2_40].contains(name) else {
      throw .unsupported("encryption by \(name.name)")
    }
    var parameters = try parts.item(.sequence, "the parameters of the encryption")
    try parts.finish("the encryption")
    let salt = try parameters.string(.octetString, "the salt")
    guard salt.remaining <= limits.saltSize else {
      throw .tooLarge("a salt is longer than the limit (PKCS12Limits.saltSize)")
    }
    let rounds = try parameters.rounds()
    try parameters.finish("the parameters of the encryption")
    switch name {
    case .pbe3DES: self = .tripleDES(salt: salt.bytes(), rounds: rounds, keySize: 24)
    case .pbe3DESTwoKeys: self = .tripleDES(salt: salt.bytes(), rounds: rounds, keySize: 16)
    case .pbeRC2_128: self = .rc2(salt: salt.bytes(), rounds: rounds, keySize: 16)
    default: self = .rc2(salt: salt.bytes(), rounds: rounds, keySize: 5)
    }
  }

  private init(cipher reader: inout PKCS12Reader, _ derivation: KeyDerivation) throws(PKCS12Error) {
    let identifier = try reader.algorithmIdentifier("the cipher of PBES2")
    var (name, parts) = (identifier.algorithm, identifier.parameters)
    let sizes: [DERObjectIdentifier: Int] = [.aes128: 16, .aes192: 24, .aes256: 32, .tripleDES: 24]
    guard let keySize = sizes[name] else { throw .unsupported("encryption by \(name.name)") }
    guard derivation.keyLength == nil || derivation.keyLength == keySize else {
      throw .malformed("the length of a key that its cipher does not have")
    }
    let vector = try parts.string(.octetString, "the vector").bytes()
    try parts.finish("the cipher of PBES2")
    guard vector.count == (name == .tripleDES ? 8 : 16) else { throw .malformed("a vector of a wrong length") }
    self =
      name == .tripleDES
      ? .pbes2TripleDES(derivation, vector: UInt64(bigEndian: vector))
      : .pbes2AES(derivation, keySize: keySize, vector: vector)
  }

  /// The rounds of one attempt with a password.
  var cost: Int {
    switch self {
    case .pbes2AES(let derivation, let keySize, _): derivation.cost(keySize)
    case .pbes2TripleDES(let derivation, _): derivation.cost(24)
    case .tripleDES(_, let rounds, let keySize), .rc2(_, let rounds, let keySize):
      PKCS12KeyDerivation.cost(.sha1, rounds: rounds, count: keySize)
        + PKCS12KeyDerivation.cost(.sha1, rounds: rounds, count: 8)
    }
  }

  /// Decrypts with one form of the password; nil if the padding shows another password. The caller has deducted the rounds.
  func decrypt(_ text: PKCS12Reader, _ password: PasswordForm) throws(PKCS12Error) -> SecretBytes? {
    switch self {
    case .pbes2AES(let derivation, let keySize, let vector):
      guard text.remaining > 0, text.remaining % 16 == 0 else { return nil }
      let key = try derivation.derive(password.narrow, count: keySize)
      return text.withUnsafeBytes { bytes in
        guard let vector = try? AES._CBC.IV(ivBytes: vector),
          var plain = try? AES._CBC.decrypt(bytes, using: key, iv: vector, noPadding: true)
        else { return nil }
        return BlockChaining.withoutPadding(SecretBytes(movingOutOf: &plain), blockSize: 16)
      }
    case .pbes2TripleDES(let derivation, let vector):
      let key = try derivation.derive(password.narrow, count: 24)
      var bytes = key.withUnsafeBytes { [UInt8]($0) }
      defer { bytes.wipe() }
      return Self.decryptTripleDES(text, key: bytes, vector: vector)
    case .tripleDES(let salt, let rounds, let keySize):
      var (key, vector) = Self.derive(password, salt, rounds, keySize)
      defer { key.wipe() }
      return Self.decryptTripleDES(text, key: key, vector: vector)
    case .rc2(let salt, let rounds, let keySize):
      var (key, vector) = Self.derive(password, salt, rounds, keySize)
      defer { key.wipe() }
      guard var cipher = RC2(key: key, effectiveBits: keySize * 8) else { return nil }
      defer { cipher.wipe() }
      return BlockChaining.decrypt(text, with: cipher, vector: vector)
    }
  }

  private static func decryptTripleDES(_ text: PKCS12Reader, key: [UInt8], vector: UInt64) -> SecretBytes? {
    guard var cipher = TripleDES(key: key) else { return nil }
    defer { cipher.wipe() }
    return BlockChaining.decrypt(text, with: cipher, vector: vector)
  }

  /// Derives key and vector by PKCS #12's own derivation.
  static func derive(
    _ password: PasswordForm, _ salt: [UInt8], _ rounds: Int, _ keySize: Int
  ) -> (key: [UInt8], vector: UInt64) {
    let key = PKCS12KeyDerivation.derive(
      .sha1, .key, password: password.wide, salt: salt, rounds: rounds, count: keySize)
    let vector = PKCS12KeyDerivation.derive(
      .sha1, .vector, password: password.wide, salt: salt, rounds: rounds, count: 8)
    return (key.array(), UInt64(bigEndian: vector.array()))
  }
}
