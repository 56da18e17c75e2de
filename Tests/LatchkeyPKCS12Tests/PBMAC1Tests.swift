import Crypto
import Foundation
import LatchkeyByteCoding
import Testing

@testable import LatchkeyPKCS12

@Suite struct PBMAC1Tests {
  @Test("RFC 9579's valid files open, and hold a certificate and its key", arguments: ["a1", "a2", "a3"])
  func valid(name: String) throws {
    let file = try PKCS12File(reading: Fixtures.bytes("rfc9579/\(name).p12"), password: "1234")
    #expect(file.certificates.count == 1)
    #expect(file.identities.count == 1)
    let key = try #require(publicKeyInfo(of: file.keys[0].pkcs8))
    // The certificate has the same key in it.
    #expect(Data(file.certificates[0].der).range(of: Data(key)) != nil)
    #expect(Refusal.of(try Fixtures.bytes("rfc9579/\(name).p12"), password: "1235") == .wrongPassword)
  }

  @Test(
    "RFC 9579's invalid files are refused: other rounds, another salt, no length of the key",
    arguments: [("a4", Refusal.wrongPassword), ("a5", .wrongPassword), ("a6", .malformed)])
  func invalid(name: String, refusal: Refusal) throws {
    #expect(Refusal.of(try Fixtures.bytes("rfc9579/\(name).p12"), password: "1234") == refusal)
  }

  @Test("A MAC that is right under a key of one byte is refused for that, whatever the password")
  func shortKey() {
    // An attacker without the password makes 256 such files, and one of them has the right byte (RFC 9579 9).
    let bytes = made(keyLength: [2, 1, 1], keySize: 1)
    for password in [MadeFile.password, "", "1234", nil] {
      #expect(Refusal.of(bytes, password: password) == .malformed)
    }
  }

  @Test("The length of the key is the digest's, and nothing else")
  func keyLengths() throws {
    let lengths: [([UInt8], Refusal?)] = [
      ([2, 1, 32], nil), ([], .malformed), ([2, 1, 0], .malformed), ([2, 1, 1], .malformed), ([2, 1, 31], .malformed),
      ([2, 1, 33], .malformed), ([2, 1, 64], .malformed), ([2, 1, 0xE0], .malformed), ([2, 2, 1, 32], .malformed),
      ([2, 4, 0x7F, 0xFF, 0xFF, 0xFF], .malformed), ([2, 8, 0x7F, 0, 0, 0, 0, 0, 0, 0], .tooLarge),
      ([2, 1, 32, 2, 1, 32], .malformed), ([4, 1, 32], .malformed),
    ]
    for (length, refusal) in lengths { #expect(Refusal.of(made(keyLength: length)) == refusal) }
  }

  @Test("Another derivation than PBKDF2, another hash, a salt of another type are refused")
  func parts() throws {
    #expect(Refusal.of(made(salt: [5, 0])) == .malformed)
    #expect(Refusal.of(made(salt: MadeFile.sequence([]))) == .unsupported)
    #expect(Refusal.of(made(salt: [])) == .malformed)
    #expect(Refusal.of(made(salt: [4, 0])) == .malformed)
    #expect(Refusal.of(made(hash: DERObjectIdentifier(1, 2, 3))) == .unsupported)
    #expect(Refusal.of(made(value: 31)) == .malformed)
    #expect(Refusal.of(made(value: 0)) == .malformed)
    #expect(Refusal.of(made(rounds: 0)) == .malformed)
    #expect(Refusal.of(made(rounds: Int(Int32.max))) == .tooLarge)
  }

  /// A file with this MAC, which is right if the MAC's parts are; `keySize` is what its key really has.
  private func made(
    keyLength: [UInt8] = [2, 1, 32], keySize: Int = 32, salt: [UInt8] = [4, 4, 1, 2, 3, 4],
    hash: DERObjectIdentifier = .hmacSHA256,
    value: Int = 32, rounds: Int = 2
  ) -> [UInt8] {
    let content = MadeFile.sequence([MadeFile.clear()])
    let prf = MadeFile.sequence([MadeFile.oid(.hmacSHA256), [5, 0]])
    let derivation = MadeFile.sequence([
      MadeFile.oid(.pbkdf2), MadeFile.sequence([salt, MadeFile.number(rounds), keyLength, prf]),
    ])
    let algorithm = MadeFile.sequence([
      MadeFile.oid(.pbmac1), MadeFile.sequence([derivation, MadeFile.sequence([MadeFile.oid(hash), [5, 0]])]),
    ])
    let real = KeyDerivation.pbkdf2(salt: [1, 2, 3, 4], rounds: 2, keyLength: keySize, digest: .sha256)
    let key = try? real.derive(PasswordForm.written(MadeFile.password).narrow, count: keySize)
    let mac = DigestAlgorithm.sha256.hmac(
      PKCS12Reader(SecretBytes(content), depth: 1), key: SecretBytes(key?.withUnsafeBytes { [UInt8]($0) } ?? []))
    let data = MadeFile.sequence([
      MadeFile.sequence([algorithm, MadeFile.value(4, Array(mac.prefix(value)))]), [4, 1, 0], [2, 1, 1],
    ])
    return MadeFile.file(content: content, macData: data)
  }
}
