package import LatchkeyByteCoding

/// The powers of a base that is raised often, with exponents of one length: a comb of five teeth (Lim and Lee, 1994).
///
/// The exponent is cut into five rows of equal length; a column's five bits choose one of 32 products that were made beforehand.
/// So there are a fifth of the squares, and as many products. The device raises two such bases: the generator, and its verifier.
package final class FixedBase: @unchecked Sendable {
  // `Sendable`: nothing writes to the table after the initializer.
  private static let teeth = 5
  private static let entries = 1 << teeth

  private let exponentByteCount: Int
  private let columns: Int
  private let table: LimbArithmetic.Limbs

  /// The base, for exponents of so many bytes.
  package init(_ base: Residue, exponentByteCount: Int) {
    self.exponentByteCount = exponentByteCount
    let columns = (8 * exponentByteCount + Self.teeth - 1) / Self.teeth
    let table = LimbArithmetic.Limbs.allocate(capacity: Self.entries * LimbArithmetic.count)
    table.initialize(repeating: 0, count: Self.entries * LimbArithmetic.count)
    self.columns = columns
    self.table = table
    table.update(from: Residue.one.limbs, count: LimbArithmetic.count)
    Scratch.borrow { scratch in
      for tooth in 0..<Self.teeth {
        let first = table + (1 << tooth) * LimbArithmetic.count
        if tooth == 0 {
          first.update(from: base.limbs, count: LimbArithmetic.count)
        } else {
          first.update(from: table + (1 << (tooth - 1)) * LimbArithmetic.count, count: LimbArithmetic.count)
          for _ in 0..<columns { LimbArithmetic.square(first, first, modulus: SRPGroup.modulus, scratch: scratch) }
        }
        for entry in 1..<max(1 << tooth, 1) {
          LimbArithmetic.multiply(
            first + entry * LimbArithmetic.count, first, table + entry * LimbArithmetic.count,
            modulus: SRPGroup.modulus, scratch: scratch)
        }
      }
    }
  }

  deinit {
    UnsafeMutableRawBufferPointer(start: table, count: 8 * Self.entries * LimbArithmetic.count).wipe()
    table.deallocate()
  }

  /// The base to the power of `exponent`, most significant byte first, which must have the length that this was made for.
  package func power(_ exponent: SecretBytes) -> Residue {
    precondition(exponent.count == exponentByteCount)
    return Residue.make { result in
      Scratch.borrow(limbs: LimbArithmetic.count) { scratch in
        let chosen = scratch + LimbArithmetic.scratchCount
        result.update(from: Residue.one.limbs, count: LimbArithmetic.count)
        for column in (0..<columns).reversed() {
          if column != columns - 1 {
            LimbArithmetic.square(result, result, modulus: SRPGroup.modulus, scratch: scratch)
          }
          var index: UInt64 = 0
          for tooth in 0..<Self.teeth {
            index |= bit(column + tooth * columns, of: exponent) &<< UInt64(truncatingIfNeeded: tooth)
          }
          LimbArithmetic.select(chosen, from: table, entries: Self.entries, index: index)
          LimbArithmetic.multiply(result, result, chosen, modulus: SRPGroup.modulus, scratch: scratch)
        }
      }
    }
  }

  /// Bit `index`, counted from the least significant one; the rows are a few bits longer than the exponent.
  private func bit(_ index: Int, of exponent: SecretBytes) -> UInt64 {
    guard index < 8 * exponentByteCount else { return 0 }
    let byte = UInt64(truncatingIfNeeded: exponent[exponentByteCount - 1 - index / 8])
    return byte &>> UInt64(truncatingIfNeeded: index % 8) & 1
  }
}
