import LatchkeyByteCoding
import Testing

@testable import LatchkeyPKCS12

@Suite("Encrypted private keys")
struct EncryptedPrivateKeyTests {
  /// The beginning of a PrivateKeyInfo is all that is asked for here.
  private let key: [UInt8] = [0x30, 8, 2, 1, 0, 0x30, 0, 4, 1, 7]

  private func random(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 & 0xFF) } }

  @Test("What is encrypted by each profile is decrypted by its password, and by no other")
  func thereAndBack() throws {
    for profile in [PKCS12Profile(algorithms: .modern, iterations: 3), .init(algorithms: .compatible, iterations: 3)] {
      let encrypted = try EncryptedPrivateKey.encrypt(key, password: "pass", profile: profile, random: random)
      #expect(try EncryptedPrivateKey.decrypt(encrypted, password: "pass") == key)
      for other in ["", "Pass", "pass "] {
        #expect(throws: PKCS12Error.wrongPassword) { try EncryptedPrivateKey.decrypt(encrypted, password: other) }
      }
    }
  }

  @Test("An empty password is refused, and so is a random source that fails")
  func misuse() {
    #expect(throws: PKCS12Error.self) { try EncryptedPrivateKey.encrypt(key, password: "", random: random) }
    #expect(throws: PKCS12Error.self) { try EncryptedPrivateKey.encrypt(key, password: "p") { _ in [] } }
  }

  @Test("Each byte of the structure counts: cut off, added to or altered it does not open")
  func altered() throws {
    let profile = PKCS12Profile(algorithms: .modern, iterations: 1)
    let encrypted = try EncryptedPrivateKey.encrypt(key, password: "pass", profile: profile, random: random)
    for count in encrypted.indices {
      #expect(throws: PKCS12Error.self) {
        try EncryptedPrivateKey.decrypt(Array(encrypted[..<count]), password: "pass")
      }
    }
    #expect(throws: PKCS12Error.self) { try EncryptedPrivateKey.decrypt(encrypted + [0], password: "pass") }
    for place in encrypted.indices.dropLast(16) {
      var bad = encrypted
      bad[place] ^= 1
      #expect((try? EncryptedPrivateKey.decrypt(bad, password: "pass")) != key, "\(place)")
    }
  }

  @Test("Limits hold: the size of the key, and the rounds of its derivation")
  func limits() throws {
    let profile = PKCS12Profile(algorithms: .modern, iterations: 1000)
    let encrypted = try EncryptedPrivateKey.encrypt(key, password: "pass", profile: profile, random: random)
    var limits = PKCS12Limits()
    limits.iterations = 999
    #expect(throws: PKCS12Error.self) { try EncryptedPrivateKey.decrypt(encrypted, password: "pass", limits: limits) }
    limits = PKCS12Limits()
    limits.fileSize = encrypted.count - 1
    #expect(throws: PKCS12Error.self) { try EncryptedPrivateKey.decrypt(encrypted, password: "pass", limits: limits) }
  }
}
