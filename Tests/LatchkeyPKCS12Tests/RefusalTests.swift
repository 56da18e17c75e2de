import Foundation
import LatchkeyByteCoding
import Testing

@testable import LatchkeyPKCS12

@Suite struct RefusalTests {
  @Test("A file cut off at any byte is refused, and one with bytes behind it")
  func truncated() throws {
    for profile in [PKCS12Profile.modern, .pbmac1, .compatible] {
      let bytes = try Sample().file.encoded(password: MadeFile.password, profile: profile.quick, random: notRandom)
      #expect(Refusal.of(bytes) == nil)
      for count in bytes.indices { #expect(Refusal.of(Array(bytes[..<count])) == .malformed) }
      #expect(Refusal.of(bytes + [0]) == .malformed)
      #expect(Refusal.of(bytes + [0, 0]) == .malformed)
    }
  }

  @Test("No byte can be another one: either the file is refused, or nothing that counts has changed")
  func flipped() throws {
    let sample = try Sample()
    let bytes = try sample.file.encoded(password: MadeFile.password, profile: .modern.quick, random: notRandom)
    for index in bytes.indices {
      var altered = bytes
      altered[index] ^= [0x01, 0x80, 0xFF][index % 3]
      guard let file = try? PKCS12File(reading: altered, password: MadeFile.password) else { continue }
      #expect(file.certificates.map(\.der) == [sample.certificate])
      #expect(file.keys.map(\.pkcs8) == [sample.key])
    }
  }

  @Test("Without a MAC a file can be altered anywhere, and is read as something or refused, but no more")
  func flippedWithoutMAC() throws {
    let sample = try Sample()
    let whole = try sample.file.encoded(password: MadeFile.password, profile: .compatible.quick, random: notRandom)
    var reader = PKCS12Reader(SecretBytes(whole), depth: 16)
    var file = try reader.item(.sequence, "a file")
    _ = try file.number("a version")
    var info = try file.item(.sequence, "content")
    _ = try info.identifier("content")
    var explicit = try info.item(.context0, "content")
    let content = try explicit.string(.octetString, "content").bytes()
    let bytes = MadeFile.file(content: content, digest: nil)
    #expect(Refusal.of(bytes) == .notAuthenticated)
    #expect(Refusal.of(bytes, allowsMissingMAC: true) == nil)
    #expect(Refusal.of(bytes, password: "wrong", allowsMissingMAC: true) == .wrongPassword)
    for index in bytes.indices {
      var altered = bytes
      altered[index] ^= 0x81
      _ = Refusal.of(altered, allowsMissingMAC: true)
    }
  }

  @Test("A wrong password, an altered MAC and altered content are one refusal")
  func oneError() throws {
    for profile in [PKCS12Profile.modern, .pbmac1, .compatible] {
      var bytes = try Sample().file.encoded(password: MadeFile.password, profile: profile.quick, random: notRandom)
      for password in ["Secret", "secret ", "", nil] {
        #expect(Refusal.of(bytes, password: password) == .wrongPassword)
      }
      bytes[bytes.count / 2] ^= 1
      #expect(Refusal.of(bytes) == .wrongPassword)
    }
    // With the password, a MAC can be made over bytes that do not decrypt: wrong padding, a wrong length, no text.
    for text in [[UInt8](repeating: 0, count: 32), [1, 2, 3], []] {
      let bytes = MadeFile.file(MadeFile.encrypted(MadeFile.pbes2(), text))
      #expect(Refusal.of(bytes) == .wrongPassword)
    }
  }

  @Test("An unsupported algorithm is refused by its name")
  func names() throws {
    let rc4 = MadeFile.sequence([
      MadeFile.oid(.pbeRC4_128), MadeFile.sequence([MadeFile.value(4, [1]), MadeFile.number(1)]),
    ])
    let bytes = MadeFile.file(MadeFile.encrypted(rc4, [1]))
    #expect { try PKCS12File(reading: bytes, password: MadeFile.password) } throws: { error in
      if case .unsupported(let name)? = error as? PKCS12Error { name.contains("RC4") } else { false }
    }
    let blake2b = MadeFile.sequence([MadeFile.oid(DERObjectIdentifier(1, 3, 6, 1, 4, 1, 1722, 12, 2, 1, 16)), [5, 0]])
    let content = MadeFile.sequence([])
    let mac = MadeFile.mac(of: content, .sha512, .written(MadeFile.password), 2, algorithm: blake2b)
    #expect {
      try PKCS12File(reading: MadeFile.file(content: content, macData: mac), password: MadeFile.password)
    } throws: { error in
      if case .unsupported(let name)? = error as? PKCS12Error { name.contains("BLAKE2b") } else { false }
    }
    for type in [DERObjectIdentifier.signedData, .envelopedData, DERObjectIdentifier(1, 2, 3)] {
      let safe = MadeFile.sequence([MadeFile.oid(type), MadeFile.value(0xA0, [5, 0])])
      #expect(Refusal.of(MadeFile.file(safe)) == .unsupported)
      let file = MadeFile.sequence([[2, 1, 3], safe])
      #expect(Refusal.of(file, allowsMissingMAC: true) == .unsupported)
    }
    let version = MadeFile.sequence([[2, 1, 4], MadeFile.sequence([])])
    #expect(Refusal.of(version) == .unsupported)
  }

  @Test("Optional content that is not there is refused, not followed", arguments: [true, false])
  func missingContent(isOuter: Bool) {
    let info = MadeFile.sequence([MadeFile.oid(.data)])
    let bytes = isOuter ? MadeFile.sequence([[2, 1, 3], info]) : MadeFile.file(info)
    #expect(Refusal.of(bytes, allowsMissingMAC: true) == .malformed)
    let noText = MadeFile.sequence([MadeFile.oid(.data), MadeFile.pbes2()])
    let encrypted = MadeFile.sequence([
      MadeFile.oid(.encryptedData), MadeFile.value(0xA0, MadeFile.sequence([[2, 1, 0], noText])),
    ])
    #expect(Refusal.of(MadeFile.file(encrypted)) == .malformed)
    // OpenSSL's cert.oct-is-null: a bag whose certificate is a NULL.
    let null = MadeFile.bag(
      .certificateBag, MadeFile.sequence([MadeFile.oid(.x509Certificate), MadeFile.value(0xA0, [5, 0])]))
    #expect(Refusal.of(MadeFile.file(MadeFile.clear(null))) == .malformed)
  }

  @Test("Certificates and keys that are none are refused")
  func notThemselves() throws {
    let sample = try Sample()
    for der in [[], [0x30], [5, 0], sample.certificate + [0], Array(sample.certificate.dropLast())] {
      #expect(Refusal.of(MadeFile.file(MadeFile.clear(MadeFile.certificate(der)))) == .malformed)
    }
    for der in [[5, 0], MadeFile.sequence([]), MadeFile.sequence([[2, 1, 0]]), sample.key + [0]] {
      #expect(Refusal.of(MadeFile.file(MadeFile.clear(MadeFile.bag(.keyBag, der)))) == .malformed)
    }
  }

  @Test("The parameters of encryption are checked")
  func parameters() {
    let refusals: [([UInt8], Refusal)] = [
      (MadeFile.pbes2(salt: []), .malformed), (MadeFile.pbes2(keyLength: [2, 1, 16]), .malformed),
      (MadeFile.pbes2(keyLength: [2, 1, 0]), .malformed), (MadeFile.pbes2(keyLength: [2, 1, 0xE0]), .malformed),
      (MadeFile.pbes2(keyLength: [2, 5, 0x7F, 0, 0, 0, 0]), .tooLarge), (MadeFile.pbes2(vector: [1]), .malformed),
      (MadeFile.pbes2(rounds: 0), .malformed), (MadeFile.pbes2(rounds: Int(Int32.max) + 1), .tooLarge),
      (MadeFile.pbes2(keyLength: [2, 1, 32]), .wrongPassword),
    ]
    for (algorithm, refusal) in refusals {
      #expect(Refusal.of(MadeFile.file(MadeFile.encrypted(algorithm, Array(0..<16)))) == refusal)
    }
  }

  @Test("scrypt's numbers are checked, and its memory bounded")
  func scrypt() {
    let refusals: [([Int], Refusal)] = [
      ([3, 1, 1], .malformed), ([1, 1, 1], .malformed), ([0, 1, 1], .malformed), ([16, 0, 1], .malformed),
      ([16, 1, 0], .malformed), ([1 << 30, 8, 1], .tooLarge), ([1 << 20, 1, 1], .tooLarge),
      ([16, 1 << 20, 1], .tooLarge),
      ([16, 1, 1 << 20], .tooLarge), ([1 << 18, 1, 4000], .tooLarge), ([16, 1, 1], .wrongPassword),
    ]
    for (numbers, refusal) in refusals {
      let derivation = MadeFile.sequence([
        MadeFile.oid(.scrypt), MadeFile.sequence([MadeFile.value(4, [1])] + numbers.map(MadeFile.number)),
      ])
      let cipher = MadeFile.sequence([MadeFile.oid(.aes256), MadeFile.value(4, Array(0..<16))])
      let algorithm = MadeFile.sequence([MadeFile.oid(.pbes2), MadeFile.sequence([derivation, cipher])])
      #expect(Refusal.of(MadeFile.file(MadeFile.encrypted(algorithm, Array(0..<16)))) == refusal)
    }
  }
}
