package import LatchkeyByteCoding

/// A number modulo N in memory of its own, which is overwritten when the last reference to it goes. It is written once, when it
/// is made.
///
/// No operation branches on the number or on an exponent, or chooses a place in memory by them. Lengths in bytes are public.
package final class Residue: @unchecked Sendable {
  // `Sendable`: nothing writes to the limbs after the initializer.
  //
  /// x · R modulo N (`LimbArithmetic`).
  let limbs: LimbArithmetic.Limbs

  private init(_ fill: (LimbArithmetic.Limbs) -> Void) {
    limbs = .allocate(capacity: LimbArithmetic.count)
    limbs.initialize(repeating: 0, count: LimbArithmetic.count)
    fill(limbs)
  }

  deinit {
    UnsafeMutableRawBufferPointer(start: limbs, count: 8 * LimbArithmetic.count).wipe()
    limbs.deallocate()
  }

  /// The remainder of a number of at most 384 bytes, most significant first; nil for more.
  package convenience init?(bigEndian bytes: some BidirectionalCollection<UInt8>) {
    guard bytes.count <= SRPGroup.byteCount else { return nil }
    self.init { limbs in
      for (index, byte) in bytes.reversed().enumerated() {
        limbs[index / 8] |= UInt64(truncatingIfNeeded: byte) &<< UInt64(truncatingIfNeeded: 8 * (index % 8))
      }
      // Below 2^3072, which is below 2N.
      LimbArithmetic.subtractOnce(limbs, limbs, 0, modulus: SRPGroup.modulus)
      Scratch.borrow {
        LimbArithmetic.multiply(limbs, limbs, Self.radixSquared.limbs, modulus: SRPGroup.modulus, scratch: $0)
      }
    }
  }

  /// A small public number.
  package convenience init(small number: UInt64) {
    self.init { limbs in
      limbs[0] = number
      Scratch.borrow {
        LimbArithmetic.multiply(limbs, limbs, Self.radixSquared.limbs, modulus: SRPGroup.modulus, scratch: $0)
      }
    }
  }

  /// 1, in Montgomery's form R modulo N: 2^3072 - N.
  package static let one = Residue { limbs in
    var borrow: UInt64 = 0
    for index in 0..<LimbArithmetic.count { limbs[index] = subtract(0, SRPGroup.modulus[index], &borrow) }
  }

  /// R as a residue, that is R² modulo N: multiplying by it brings a number into Montgomery's form.
  private static let radixSquared = Residue { limbs in
    limbs.update(from: one.limbs, count: LimbArithmetic.count)
    Scratch.borrow { scratch in
      for _ in 0..<64 * LimbArithmetic.count {
        LimbArithmetic.sum(limbs, limbs, limbs, modulus: SRPGroup.modulus, scratch: scratch)
      }
    }
  }

  /// The number's 384 bytes, most significant first.
  package var bytes: SecretBytes {
    SecretBytes(count: SRPGroup.byteCount) { bytes in
      Scratch.borrow(limbs: 2 * LimbArithmetic.count) { scratch in
        let plain = scratch + LimbArithmetic.scratchCount
        plain[0] = 1
        LimbArithmetic.multiply(plain, limbs, plain, modulus: SRPGroup.modulus, scratch: scratch)
        for index in 0..<SRPGroup.byteCount {
          bytes[SRPGroup.byteCount - 1 - index] = UInt8(
            truncatingIfNeeded: plain[index / 8] &>> UInt64(truncatingIfNeeded: 8 * (index % 8)))
        }
      }
    }
  }

  /// Whether the number is zero; nothing else of it shows.
  package var isZero: Bool { LimbArithmetic.zeroMask(limbs) != 0 }

  package static func * (a: Residue, b: Residue) -> Residue {
    Residue { limbs in
      Scratch.borrow {
        LimbArithmetic.multiply(limbs, a.limbs, b.limbs, modulus: SRPGroup.modulus, scratch: $0)
      }
    }
  }

  package static func + (a: Residue, b: Residue) -> Residue {
    Residue { limbs in
      Scratch.borrow { LimbArithmetic.sum(limbs, a.limbs, b.limbs, modulus: SRPGroup.modulus, scratch: $0) }
    }
  }

  package static func - (a: Residue, b: Residue) -> Residue {
    Residue { LimbArithmetic.difference($0, a.limbs, b.limbs, modulus: SRPGroup.modulus) }
  }

  /// The number to the power of `exponent`, most significant byte first: windows of four bits, each with one product.
  package func power(_ exponent: SecretBytes) -> Residue {
    Residue { result in
      let entries = 16
      Scratch.borrow(limbs: (entries + 1) * LimbArithmetic.count) { scratch in
        let n = SRPGroup.modulus
        let chosen = scratch + LimbArithmetic.scratchCount
        let table = chosen + LimbArithmetic.count
        table.update(from: Self.one.limbs, count: LimbArithmetic.count)
        for entry in 1..<entries {
          let limbs = table + entry * LimbArithmetic.count
          LimbArithmetic.multiply(limbs, limbs - LimbArithmetic.count, self.limbs, modulus: n, scratch: scratch)
        }
        result.update(from: Self.one.limbs, count: LimbArithmetic.count)
        for index in 0..<2 * exponent.count {
          // Ones to any power are ones: the first window needs no squares.
          if index > 0 { for _ in 0..<4 { LimbArithmetic.square(result, result, modulus: n, scratch: scratch) } }
          let byte = UInt64(truncatingIfNeeded: exponent[index / 2])
          let digit = index % 2 == 0 ? byte &>> 4 : byte & 0x0F
          LimbArithmetic.select(chosen, from: table, entries: entries, index: digit)
          LimbArithmetic.multiply(result, result, chosen, modulus: n, scratch: scratch)
        }
      }
    }
  }

  /// The bytes of limbs, least significant first.
  static func bigEndian(_ limbs: [UInt64]) -> [UInt8] {
    limbs.reversed().flatMap { limb in
      (0..<8).map { UInt8(truncatingIfNeeded: limb &>> UInt64(truncatingIfNeeded: 56 - 8 * $0)) }
    }
  }

  /// A residue that `fill` writes, for the tables beside this type.
  static func make(_ fill: (LimbArithmetic.Limbs) -> Void) -> Residue { Residue(fill) }
}

/// Memory for the numbers between: one allocation for a whole power, wiped thereafter.
enum Scratch {
  /// Zeros: what products need, and `more` limbs behind it.
  static func borrow<Result>(limbs more: Int = 0, _ body: (LimbArithmetic.Limbs) -> Result) -> Result {
    let count = LimbArithmetic.scratchCount + more
    let memory = LimbArithmetic.Limbs.allocate(capacity: count)
    memory.initialize(repeating: 0, count: count)
    defer {
      UnsafeMutableRawBufferPointer(start: memory, count: 8 * count).wipe()
      memory.deallocate()
    }
    return body(memory)
  }
}
