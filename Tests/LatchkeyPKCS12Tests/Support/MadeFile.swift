import Foundation
import LatchkeyByteCoding

@testable import LatchkeyPKCS12

/// Files made piece by piece, for what no program at hand writes. Each piece is DER.
enum MadeFile {
  static let password = "secret"

  /// A whole file with a MAC by the format's own derivation; without one, if `digest` is nil.
  static func file(
    _ safes: [UInt8]..., digest: DigestAlgorithm? = .sha256, form: PasswordForm = .written(password), rounds: Int = 2
  ) -> [UInt8] {
    file(content: sequence(safes), digest: digest, form: form, rounds: rounds)
  }

  static func file(
    content: [UInt8], digest: DigestAlgorithm? = .sha256, form: PasswordForm = .written(password), rounds: Int = 2
  ) -> [UInt8] {
    file(content: content, macData: digest.map { mac(of: content, $0, form, rounds) } ?? [])
  }

  static func file(content: [UInt8], macData: [UInt8]) -> [UInt8] {
    sequence([[2, 1, 3], sequence([oid(.data), value(0xA0, value(0x04, content))]), macData])
  }

  static func mac(
    of content: [UInt8], _ digest: DigestAlgorithm, _ form: PasswordForm, _ rounds: Int, algorithm: [UInt8]? = nil
  ) -> [UInt8] {
    let salt = Array("salt salt".utf8)
    let key = PKCS12KeyDerivation.derive(
      digest, .mac, password: form.wide, salt: salt, rounds: rounds, count: digest.size)
    let value = digest.hmac(PKCS12Reader(SecretBytes(content), depth: 1), key: key)
    return sequence([
      sequence([algorithm ?? sequence([oid(digest.identifier), [5, 0]]), self.value(0x04, value)]),
      self.value(0x04, salt), number(rounds),
    ])
  }

  /// A safe in the clear.
  static func clear(_ bags: [UInt8]...) -> [UInt8] { clear(contents: sequence(bags)) }

  static func clear(contents: [UInt8]) -> [UInt8] { sequence([oid(.data), value(0xA0, value(0x04, contents))]) }

  /// An encrypted safe of a text that is encrypted already.
  static func encrypted(_ algorithm: [UInt8], _ text: [UInt8]) -> [UInt8] {
    let content = sequence([oid(.data), algorithm, value(0x80, text)])
    return sequence([oid(.encryptedData), value(0xA0, sequence([[2, 1, 0], content]))])
  }

  static func bag(_ type: DERObjectIdentifier, _ content: [UInt8], attributes: [[UInt8]]? = nil) -> [UInt8] {
    sequence([oid(type), value(0xA0, content), attributes.map { value(0x31, $0.flatMap { $0 }) } ?? []])
  }

  static func attribute(_ type: DERObjectIdentifier, _ values: [UInt8]...) -> [UInt8] {
    sequence([oid(type), value(0x31, values.flatMap { $0 })])
  }

  static func certificate(_ der: [UInt8], attributes: [[UInt8]]? = nil) -> [UInt8] {
    bag(
      .certificateBag, sequence([oid(.x509Certificate), value(0xA0, value(0x04, der))]), attributes: attributes)
  }

  /// PBES2 with AES-256, PBKDF2 of `rounds`, and what may stand in it.
  static func pbes2(
    rounds: Int = 2, salt: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8], keyLength: [UInt8] = [], vector: [UInt8] = Array(0..<16)
  ) -> [UInt8] {
    let prf = sequence([oid(.hmacSHA256), [5, 0]])
    let derivation = sequence([oid(.pbkdf2), sequence([value(0x04, salt), number(rounds), keyLength, prf])])
    return sequence([oid(.pbes2), sequence([derivation, sequence([oid(.aes256), value(0x04, vector)])])])
  }

  static func sequence(_ parts: [[UInt8]]) -> [UInt8] { value(0x30, parts.flatMap { $0 }) }

  static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var writer = DEREncoder()
    writer.item(tag: tag, content)
    return writer.bytes
  }

  static func number(_ number: Int) -> [UInt8] {
    var writer = DEREncoder()
    writer.number(number)
    return writer.bytes
  }

  static func oid(_ identifier: DERObjectIdentifier) -> [UInt8] { value(0x06, identifier.content) }
}

/// A certificate with its key, and an unrelated certificate.
struct Sample {
  let certificate: [UInt8]
  let key: [UInt8]

  init() throws {
    let file = try PKCS12File(reading: Fixtures.bytes("pyca/cert-none-key-none.p12"), password: "cryptography")
    certificate = file.certificates[0].der
    key = file.keys[0].pkcs8
  }

  var file: PKCS12File {
    PKCS12File(certificates: [.init(der: certificate)], keys: [.init(pkcs8: key)])
  }
}

/// Bytes that are the same each time.
func notRandom(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) } }

extension PKCS12Profile {
  /// The same with so few rounds that a test can afford many files.
  var quick: PKCS12Profile {
    var profile = self
    profile.iterations = 2
    return profile
  }
}

/// The kind of a refusal, without its words.
enum Refusal: Equatable {
  case malformed, wrongPassword, unsupported, notAuthenticated, tooLarge, misuse

  init(_ error: PKCS12Error) {
    self =
      switch error {
      case .malformed: .malformed
      case .wrongPassword: .wrongPassword
      case .unsupported: .unsupported
      case .notAuthenticated: .notAuthenticated
      case .tooLarge: .tooLarge
      case .misuse: .misuse
      }
  }

  /// How a file is refused; nil if it opens.
  static func of(
    _ bytes: [UInt8], password: String? = MadeFile.password, limits: PKCS12Limits = PKCS12Limits(),
    allowsMissingMAC: Bool = false
  ) -> Refusal? {
    do throws(PKCS12Error) {
      _ = try PKCS12File(reading: bytes, password: password, limits: limits, allowsMissingMAC: allowsMissingMAC)
      return nil
    } catch {
      return Refusal(error)
    }
  }
}
