import LatchkeyByteCoding

/// Triple DES: encrypt, decrypt, encrypt (SP 800-67 3.1).
struct TripleDES: BlockCipher {
  private var first: DES
  private var second: DES
  private var third: DES

  /// Creates a cipher from a key of 24 bytes, or of 16, whose first third is also the last. Nil for other lengths.
  init?(key: [UInt8]) {
    guard [16, 24].contains(key.count) else { return nil }
    first = DES(key: UInt64(bigEndian: key[0..<8]))
    second = DES(key: UInt64(bigEndian: key[8..<16]))
    third = key.count == 24 ? DES(key: UInt64(bigEndian: key[16..<24])) : first
  }

  /// Overwrites the keys.
  mutating func wipe() {
    first.wipe()
    second.wipe()
    third.wipe()
  }

  func encrypt(_ block: UInt64) -> UInt64 { third.encrypt(second.decrypt(first.encrypt(block))) }

  func decrypt(_ block: UInt64) -> UInt64 { first.decrypt(second.encrypt(third.decrypt(block))) }
}
