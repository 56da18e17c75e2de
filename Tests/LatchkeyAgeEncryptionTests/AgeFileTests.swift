import Crypto
import Foundation
import LatchkeyAgeEncryption
import Testing

/// Files made here, altered in every way that the format distinguishes; and the two texts of c2sp.org/age.
@Suite struct AgeFileTests {
  private let identity: AgeIdentity
  private let stranger: AgeIdentity

  init() throws {
    identity = try AgeIdentity("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX")
    stranger = AgeIdentity(Curve25519.KeyAgreement.PrivateKey())
  }

  private func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }

  private func encrypted(_ bytes: [UInt8], for lock: AgeLock? = nil) throws -> [UInt8] {
    try AgeEncryptor.encrypt(bytes, for: lock ?? .recipients([identity.recipient]), random: random)
  }

  @Test("The identity of the specification has the recipient of the specification")
  func identityAndRecipientOfTheSpecification() throws {
    #expect(identity.recipient.text == "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj")
    #expect(identity.text == "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX")
    #expect(try AgeRecipient(identity.recipient.text) == identity.recipient)
  }

  @Test("Decryption gives back what was encrypted", arguments: [0, 1, 65535, 65536, 65537, 131072, 200_000])
  func whatGoesInComesOut(_ count: Int) throws {
    let bytes = random(count)
    let file = try encrypted(bytes)
    #expect(try AgeDecryptor.decrypt(file, .identities([stranger, identity])) == bytes)
    #expect(try AgeDecryptor.decrypt(Array(AgeArmor.encode(file).utf8), .identities([identity])) == bytes)
  }

  @Test("A stream in pieces is the same file") func aStreamInPiecesIsTheSameFile() throws {
    let bytes = random(150_000)
    var encryptor = try AgeEncryptor(for: .recipients([stranger.recipient, identity.recipient]), random: random)
    var file = encryptor.header
    for start in stride(from: 0, to: bytes.count, by: 997) {
      file += encryptor.update(bytes[start..<min(start + 997, bytes.count)])
    }
    file += encryptor.finish()
    var decryptor = AgeDecryptor(.identities([identity]))
    var clear: [UInt8] = []
    for byte in file { clear += try decryptor.update(CollectionOfOne(byte)) }
    clear += try decryptor.finish()
    #expect(clear == bytes)
  }

  @Test("A passphrase opens the file, and another one does not") func aPassphraseOpensAndAnotherDoesNot() throws {
    let file = try encrypted([1, 2, 3], for: .passphrase(Array("correct horse".utf8), workFactor: 10))
    #expect(try AgeDecryptor.decrypt(file, .passphrase(Array("correct horse".utf8))) == [1, 2, 3])
    #expect(throws: AgeError.noMatch) { try AgeDecryptor.decrypt(file, .passphrase(Array("correct horsf".utf8))) }
    #expect(throws: AgeError.noMatch) { try AgeDecryptor.decrypt(file, .identities([identity])) }
  }

  @Test("Other identities, and none, do not open the file") func strangersAndNobodyAreRefused() throws {
    let file = try encrypted([1, 2, 3])
    #expect(throws: AgeError.noMatch) { try AgeDecryptor.decrypt(file, .identities([stranger])) }
    #expect(throws: AgeError.noMatch) { try AgeDecryptor.decrypt(file, .identities([])) }
    #expect(throws: AgeError.noMatch) { try AgeDecryptor.decrypt(file, .passphrase([0x61])) }
    #expect(throws: AgeError.recipients) { try encrypted([], for: .recipients([])) }
    #expect(throws: AgeError.workFactor(found: 21, maximum: 20)) {
      try encrypted([], for: .passphrase([0x61], workFactor: 21))
    }
  }

  @Test("Every altered byte is noticed") func everyAlteredByteIsNoticed() throws {
    let bytes = random(300)
    let file = try encrypted(bytes)
    for index in file.indices {
      var altered = file
      altered[index] ^= 0x01
      #expect(throws: AgeError.self, "byte \(index)") { try AgeDecryptor.decrypt(altered, .identities([identity])) }
    }
  }

  @Test("Every cut is noticed") func everyCutIsNoticed() throws {
    let file = try encrypted(random(100))
    for count in 0..<file.count {
      #expect(throws: AgeError.self, "\(count) bytes") {
        try AgeDecryptor.decrypt(Array(file.prefix(count)), .identities([identity]))
      }
    }
    #expect(throws: AgeError.self) { try AgeDecryptor.decrypt(file + [0], .identities([identity])) }
  }

  @Test("Chunks that change places or are missing are noticed") func chunksCannotChangePlacesNorGo() throws {
    let file = try encrypted(random(65536 * 2 + 5))
    let sealed = 65536 + 16
    let start = file.count - (2 * sealed + 21)
    let chunks = [file[start..<(start + sealed)], file[(start + sealed)..<(start + 2 * sealed)]].map(Array.init)
    let (head, last) = (Array(file[..<start]), Array(file.suffix(21)))
    for altered in [
      head + chunks[1] + chunks[0] + last, head + chunks[0] + last, head + chunks[0] + chunks[1],
      head + chunks[0] + chunks[0] + last, head + last,
    ] {
      #expect(throws: AgeError.self) { try AgeDecryptor.decrypt(altered, .identities([identity])) }
    }
  }

  @Test(
    "Texts that are no recipients are refused",
    arguments: [
      "", "age1", "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwk",
      "Age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj", "ssh-ed25519 AAAA",
      "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
    ])
  func recipientsThatAreNone(_ text: String) {
    #expect(throws: AgeError.malformedRecipient) { try AgeRecipient(text) }
  }

  @Test("A file of identities is read with its comments") func anIdentityFile() throws {
    let text = "# created: today\n# public key: x\n\n\(identity.text)\r\n\(stranger.text)\n"
    #expect(try AgeIdentity.file(text).map(\.recipient) == [identity.recipient, stranger.recipient])
    #expect(throws: AgeError.malformedIdentity) { try AgeIdentity.file("# nothing\n") }
    #expect(throws: AgeError.malformedIdentity) { try AgeIdentity.file("age1something\n") }
  }

  @Test("Errors repeat no secret") func errorsRepeatNoSecret() {
    #expect(!AgeError.malformedIdentity.description.contains(identity.text.dropFirst(20)))
  }

  @Test(
    "The armor is what Foundation makes of the bytes, in lines of 64", arguments: [0, 1, 2, 3, 47, 48, 49, 95, 96, 97])
  func armorLines(count: Int) {
    let bytes = random(count)
    let lines = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    let expected = "-----BEGIN AGE ENCRYPTED FILE-----\n\(lines)\n-----END AGE ENCRYPTED FILE-----\n"
    #expect(AgeArmor.encode(bytes) == expected)
  }

  @Test(
    "Text that is no armor is refused",
    arguments: [
      "-----BEGIN AGE ENCRYPTED FILE-----\n\n-----END AGE ENCRYPTED FILE-----\n",
      "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl",
      "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\nYWdl\n-----END AGE ENCRYPTED FILE-----\n",
      "-----BEGIN AGE ENCRYPTED FILE-----\nYWd\n-----END AGE ENCRYPTED FILE-----\n",
      "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n-----END AGE ENCRYPTED FILE-----\nmore",
    ])
  func armorThatIsNone(_ text: String) {
    #expect(throws: AgeError.self) { try AgeArmor.decode(Array(text.utf8)) }
  }
}
