/// The error correction of a block: a Reed-Solomon code over the field of 256 elements (ISO/IEC 18004:2015 7.5.2, annex A).
struct QRCodeReedSolomon {
  /// The generator's coefficients below the leading one, highest power first.
  private let generator: [UInt8]

  /// The product of x - 2^i for each of so many i.
  init(correctionCodewords: Int) {
    var generator = [UInt8](repeating: 0, count: correctionCodewords - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<correctionCodewords {
      for place in generator.indices {
        generator[place] = Self.product(generator[place], root)
        if place + 1 < generator.count { generator[place] ^= generator[place + 1] }
      }
      root = Self.product(root, 2)
    }
    self.generator = generator
  }

  /// What is left of the block, followed by zeros, after the division by the generator.
  func remainder(of block: some Sequence<UInt8>) -> [UInt8] {
    var remainder = [UInt8](repeating: 0, count: generator.count)
    for codeword in block {
      let factor = codeword ^ remainder.removeFirst()
      remainder.append(0)
      for place in generator.indices { remainder[place] ^= Self.product(generator[place], factor) }
    }
    return remainder
  }

  /// A product modulo x^8 + x^4 + x^3 + x^2 + 1.
  static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var product: UInt8 = 0
    for bit in (0..<8).reversed() {
      product = product << 1 ^ (product & 0x80 == 0 ? 0 : 0x1D)
      if right >> bit & 1 == 1 { product ^= left }
    }
    return product
  }
}
