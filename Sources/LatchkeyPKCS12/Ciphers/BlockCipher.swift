import LatchkeyByteCoding

/// A block cipher of 8-byte blocks, most significant byte first.
protocol BlockCipher {
  func encrypt(_ block: UInt64) -> UInt64
  func decrypt(_ block: UInt64) -> UInt64
}

/// Cipher block chaining with the padding of PKCS #5 (RFC 8018 6.1.1).
enum BlockChaining {
  static let blockSize = 8

  /// - Returns: nil if the length or the padding is invalid, in a time independent of which.
  static func decrypt(_ text: PKCS12Reader, with cipher: some BlockCipher, vector: UInt64) -> SecretBytes? {
    guard text.remaining > 0, text.remaining % blockSize == 0 else { return nil }
    let plain = SecretBytes(count: text.remaining) { plain in
      text.withUnsafeBytes { text in
        var previous = vector
        for start in stride(from: 0, to: text.count, by: blockSize) {
          let block = UInt64(bigEndian: text[start..<start + blockSize])
          let chunk = cipher.decrypt(block) ^ previous
          previous = block
          for index in 0..<blockSize {
            plain[start + index] = UInt8(truncatingIfNeeded: chunk >> UInt64(56 - 8 * index))
          }
        }
      }
    }
    return withoutPadding(plain, blockSize: blockSize)
  }

  /// Pads and encrypts the text.
  static func encrypt(_ plain: [UInt8], with cipher: some BlockCipher, vector: UInt64) -> [UInt8] {
    let padding = blockSize - plain.count % blockSize
    var padded = plain + [UInt8](repeating: UInt8(padding), count: padding)
    defer { padded.wipe() }
    var (text, previous) = ([UInt8](), vector)
    for start in stride(from: 0, to: padded.count, by: blockSize) {
      previous = cipher.encrypt(UInt64(bigEndian: padded[start..<start + blockSize]) ^ previous)
      for shift in stride(from: 56, through: 0, by: -8) {
        text.append(UInt8(truncatingIfNeeded: previous >> UInt64(shift)))
      }
    }
    return text
  }

  /// Removes the padding; nil if it is invalid.
  static func withoutPadding(_ plain: SecretBytes, blockSize: Int) -> SecretBytes? {
    guard plain.count >= blockSize else { return nil }
    let padding = Int(plain[plain.count - 1])
    // Reads every byte of the last block, whatever the padding is.
    var wrong = padding == 0 || padding > blockSize ? 1 : 0
    for back in 1...blockSize {
      let belongs = back <= padding
      wrong |= belongs && Int(plain[plain.count - back]) != padding ? 1 : 0
    }
    guard wrong == 0 else { return nil }
    return plain.copy(0..<plain.count - padding)
  }
}

extension UInt64 {
  /// Creates the value from at most eight bytes, most significant first.
  init(bigEndian bytes: some Sequence<UInt8>) { self = bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
