import Foundation
import LatchkeyByteCoding
import Testing

@testable import LatchkeyPKCS12

@Suite struct CipherTests {
  @Test(
    "3DES answers NIST's known answers in CBC, both ways",
    arguments: ["invperm", "permop", "subtab", "varkey", "vartext", "MMT2", "MMT3"])
  func tripleDES(name: String) throws {
    var count = 0
    for vector in try KnownAnswer.all(in: Fixtures.text("tdes/TCBC\(name).rsp")) {
      let cipher = try #require(TripleDES(key: vector.key))
      #expect(chained(vector.plain, vector.vector, cipher) == vector.encrypted)
      #expect(unchained(vector.encrypted, vector.vector, cipher) == vector.plain)
      count += 1
    }
    #expect(count >= 20)
  }

  @Test("3DES accepts keys of 16 or 24 bytes; with 16, the third part is the first")
  func keySizes() throws {
    let short = try #require(TripleDES(key: Array(1...16)))
    let long = try #require(TripleDES(key: Array(1...16) + Array(1...8)))
    #expect(short.encrypt(42) == long.encrypt(42))
    for count in [0, 8, 15, 17, 23, 25] { #expect(TripleDES(key: [UInt8](repeating: 1, count: count)) == nil) }
  }

  @Test(
    "RC2 answers RFC 2268's examples, both ways",
    arguments: [
      ("0000000000000000", 63, "0000000000000000", "ebb773f993278eff"),
      ("ffffffffffffffff", 64, "ffffffffffffffff", "278b27e42e2f0d49"),
      ("3000000000000000", 64, "1000000000000001", "30649edf9be7d2c2"),
      ("88", 64, "0000000000000000", "61a8a244adacccf0"),
      ("88bca90e90875a", 64, "0000000000000000", "6ccf4308974c267f"),
      ("88bca90e90875a7f0f79c384627bafb2", 64, "0000000000000000", "1a807d272bbe5db1"),
      ("88bca90e90875a7f0f79c384627bafb2", 128, "0000000000000000", "2269552ab0f85ca6"),
      (
        "88bca90e90875a7f0f79c384627bafb216f80a6f85920584c42fceb0be255daf1e", 129, "0000000000000000",
        "5b78d3a43dfff1f1"
      ),
    ])
  func rc2(key: String, bits: Int, plain: String, encrypted: String) throws {
    let cipher = try #require(RC2(key: Hexadecimal.decode(key), effectiveBits: bits))
    let (plain, encrypted) = (
      UInt64(bigEndian: try Hexadecimal.decode(plain)), UInt64(bigEndian: try Hexadecimal.decode(encrypted))
    )
    #expect(cipher.encrypt(plain) == encrypted)
    #expect(cipher.decrypt(encrypted) == plain)
  }

  @Test("RC2 has keys of 1 to 128 bytes")
  func rc2KeySizes() {
    #expect(RC2(key: [], effectiveBits: 64) == nil)
    #expect(RC2(key: [UInt8](repeating: 0, count: 129), effectiveBits: 64) == nil)
    #expect(RC2(key: [1], effectiveBits: 0) == nil)
    #expect(RC2(key: [1], effectiveBits: 1025) == nil)
  }

  @Test("Padding is removed whole, and wrong padding gives nil", arguments: [8, 16])
  func padding(blockSize: Int) throws {
    for count in 1...blockSize {
      let padding = [UInt8](repeating: UInt8(count), count: count)
      let text = [UInt8](repeating: 7, count: 2 * blockSize - count)
      #expect(BlockChaining.withoutPadding(SecretBytes(text + padding), blockSize: blockSize)?.array() == text)
      // A byte of it that is another one; of one byte alone, the zero.
      var altered = padding
      altered[0] = count == 1 ? 0 : altered[0] ^ 0x80
      #expect(BlockChaining.withoutPadding(SecretBytes(text + altered), blockSize: blockSize) == nil)
    }
    let tooMuch = [UInt8](repeating: UInt8(blockSize + 1), count: 2 * blockSize)
    #expect(BlockChaining.withoutPadding(SecretBytes(tooMuch), blockSize: blockSize) == nil)
    #expect(BlockChaining.withoutPadding(SecretBytes([]), blockSize: blockSize) == nil)
  }

  @Test("Texts that are no whole blocks do not decrypt")
  func lengths() throws {
    let cipher = try #require(TripleDES(key: Array(1...24)))
    for count in [0, 1, 7, 9, 15] {
      let text = PKCS12Reader(SecretBytes([UInt8](repeating: 0, count: count)), depth: 1)
      #expect(BlockChaining.decrypt(text, with: cipher, vector: 0) == nil)
    }
  }

  @Test("Encrypted data decrypts", arguments: 0..<20)
  func chaining(count: Int) throws {
    let cipher = try #require(TripleDES(key: Array(1...24)))
    let plain = (0..<count).map { UInt8($0) }
    let text = BlockChaining.encrypt(plain, with: cipher, vector: 5)
    #expect(text.count == (count / 8 + 1) * 8)
    let reader = PKCS12Reader(SecretBytes(text), depth: 1)
    #expect(BlockChaining.decrypt(reader, with: cipher, vector: 5)?.array() == plain)
  }

  private func chained(_ plain: [UInt64], _ vector: UInt64, _ cipher: TripleDES) -> [UInt64] {
    var last = vector
    return plain.map { block in
      last = cipher.encrypt(block ^ last)
      return last
    }
  }

  private func unchained(_ text: [UInt64], _ vector: UInt64, _ cipher: TripleDES) -> [UInt64] {
    zip(text, [vector] + text.dropLast()).map { cipher.decrypt($0) ^ $1 }
  }
}

/// One known answer of NIST's files.
private struct KnownAnswer {
  let key: [UInt8]
  let vector: UInt64
  let plain: [UInt64]
  let encrypted: [UInt64]

  static func all(in text: String) throws -> [KnownAnswer] {
    try text.replacingOccurrences(of: "\r", with: "").components(separatedBy: "\n\n").compactMap { paragraph in
      var fields: [String: [UInt8]] = [:]
      for line in paragraph.split(separator: "\n")
      where line.contains(" = ") && !line.hasPrefix("COUNT") && !line.hasPrefix("#") {
        let parts = line.components(separatedBy: " = ")
        fields[parts[0]] = try Hexadecimal.decode(parts[1])
      }
      guard let plain = fields["PLAINTEXT"], let encrypted = fields["CIPHERTEXT"], let vector = fields["IV"] else {
        return nil
      }
      let parts = [fields["KEY1"], fields["KEY2"], fields["KEY3"]].compactMap { $0 }
      let key =
        try parts.count == 3
        ? parts.flatMap { $0 } : #require(fields["KEYs"]) + #require(fields["KEYs"]) + #require(fields["KEYs"])
      return KnownAnswer(
        key: key, vector: UInt64(bigEndian: vector), plain: blocks(plain), encrypted: blocks(encrypted))
    }
  }

  private static func blocks(_ bytes: [UInt8]) -> [UInt64] {
    stride(from: 0, to: bytes.count, by: 8).map { UInt64(bigEndian: bytes[$0..<$0 + 8]) }
  }
}
