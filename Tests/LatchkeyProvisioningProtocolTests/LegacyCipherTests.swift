import LatchkeyProvisioningProtocol
import Testing

@Suite struct LegacyCipherTests {
  @Test("Encryption and decryption match the vectors", arguments: Vectors.all.aesCases)
  func encryptionMatchesTheVectors(_ vector: Vectors.Encryption) throws {
    let key = try LegacyMessageKey(bytes: hex(vector.key))
    let plaintext = Array(vector.plaintext.utf8)
    #expect(plaintext == hex(vector.plaintextHex))
    #expect(LegacyMessageKey.zeroFilled(plaintext) == hex(vector.zeroFilledHex))
    let ciphertext = try key.encrypt(plaintext)
    #expect(ciphertext == hex(vector.ciphertext))
    #expect(try LegacyFrame(type: .appData, payload: ciphertext).encoded == hex(vector.appFrame))
    #expect(try LegacyFrame(type: .deviceData, payload: ciphertext).encoded == hex(vector.deviceFrame))

    let message = try key.decrypt(ciphertext)
    #expect(message.bytes == hex(vector.decryptedHex))
    // Zero bytes at the end of the text itself are lost: the fill hides them.
    let trimmed = vector.plaintext.reversed().drop { $0 == "\0" }.reversed()
    #expect(message.text == String(trimmed))
    #expect(Array(message.trimmedBytes) == Array(String(trimmed).utf8))
  }

  @Test("Special cases match the vectors", arguments: Vectors.all.aesSpecial) func specialCasesMatchTheVectors(
    _ vector: Vectors.SpecialEncryption
  ) throws {
    let key = hex(vector.key)
    let ciphertext = hex(vector.ciphertext)
    switch vector.id {
    case "D0-not-utf8":
      let message = try LegacyMessageKey(bytes: key).decrypt(ciphertext)
      #expect(message.bytes == hex(try #require(vector.decryptedHex)))
      #expect(message.text == nil)
    case "D1-not-multiple":
      let messageKey = try LegacyMessageKey(bytes: key)
      #expect(throws: LegacyCipherError.ciphertextLength(15)) { try messageKey.decrypt(ciphertext) }
    case "D2-empty":
      let message = try LegacyMessageKey(bytes: key).decrypt(ciphertext)
      #expect(message.bytes == [] && message.text == "")
    case "D3-no-fill", "D5-key-32":
      #expect(try LegacyMessageKey(bytes: key).decrypt(ciphertext).bytes == hex(try #require(vector.decryptedHex)))
    case "D4-key-16":
      #expect(throws: LegacyCipherError.keyLength(16)) { try LegacyMessageKey(bytes: key) }
    case "D6-lenient-unpadded-input":
      let messageKey = try LegacyMessageKey(bytes: key)
      #expect(try messageKey.encrypt(hex(try #require(vector.plaintextHex))) == ciphertext)
      #expect(try messageKey.encrypt([]) == ciphertext)
      #expect(try messageKey.decrypt(ciphertext).text == "")
    default: Issue.record("\(vector.id) is not tested")
    }
  }

  @Test("Keys of other lengths are refused") func keysOfOtherLengthsAreRefused() throws {
    for length in 0...48 where length != 24 && length != 32 {
      #expect(throws: LegacyCipherError.keyLength(length)) {
        try LegacyMessageKey(bytes: Array(repeating: 0, count: length))
      }
    }
    // 32 bytes are a key only in GMObjC 3.x' form, with 8 zeros behind the 24.
    for index in 24..<32 {
      var bytes = [UInt8](repeating: 0, count: 32)
      bytes[index] = 1
      #expect(throws: LegacyCipherError.keyLength(32)) { try LegacyMessageKey(bytes: bytes) }
    }
  }

  @Test("Ciphertext lengths that are no multiple of a block are refused")
  func lengthsThatAreNoMultipleOfABlockAreRefused() throws {
    let key = try LegacyMessageKey(bytes: Array(0..<24))
    for length in 1...64 where length % 16 != 0 {
      #expect(throws: LegacyCipherError.ciphertextLength(length)) {
        try key.decrypt(Array(repeating: 0, count: length))
      }
    }
  }

  @Test("Keys and messages print no secrets") func secretsDoNotPrint() throws {
    let key = try LegacyMessageKey(bytes: Array(repeating: 0x5A, count: 24))
    var text = "\(key)"
    dump(key, to: &text)
    let message = LegacyUnauthenticatedMessage(bytes: Array("password".utf8))
    text += "\(message)"
    dump(message, to: &text)
    dump(LegacySession.Output.received(message), to: &text)
    for secret in ["90", "5a", "5A", "pass", "112"] { #expect(!text.contains(secret), "\(text)") }
  }
}
