import LatchkeyByteCoding

/// Numbers in an order that a test chose; then random ones.
struct FixedNumbers: RandomNumberGenerator {
  private var numbers: ArraySlice<UInt64>

  /// The numbers of which `Secp192k1.PrivateKey(using:)` makes the key with these digits: its limbs, the least significant first.
  init(privateKey digits: String) throws {
    let bytes = try Hexadecimal.decode(digits)
    let limbs = stride(from: 0, to: 24, by: 8).map { start in
      bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    numbers = limbs.reversed()[...]
  }

  mutating func next() -> UInt64 {
    numbers.popFirst() ?? .random(in: .min ... .max)
  }
}
