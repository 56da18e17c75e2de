import LatchkeyProvisioningProtocol
import Testing

@Suite struct ScalarTests {
  private let n = Natural(Scalar.order)

  /// A two's complement half modulo n, and its magnitude.
  private func half(_ bits: UInt128) -> (residue: Natural, magnitude: UInt128) {
    guard bits >> 127 == 1 else { return (Natural(bits), bits) }
    let magnitude = 0 &- bits
    return (n - Natural(magnitude), magnitude)
  }

  @Test("Scalars are in range from 1 to below the order") func rangeIsOneToOrder() {
    let n = Scalar.order
    for inside in [UInt192(1, 0, 0), UInt192(0, 0, 1), UInt192(n.limb0 - 1, n.limb1, n.limb2)] {
      #expect(Scalar.rangeMask(inside) == .max)
    }
    for outside in [UInt192(0, 0, 0), n, UInt192(n.limb0 + 1, n.limb1, n.limb2), UInt192(.max, .max, .max)] {
      #expect(Scalar.rangeMask(outside) == 0)
    }
  }

  @Test("The halves make the scalar") func halvesMakeTheScalar() {
    var generator = SeededGenerator(seed: 6)
    let random = (0..<300).map { round in
      UInt192(generator.next(), round % 3 == 0 ? 0 : generator.next(), round % 5 == 0 ? 0 : generator.next())
    }
    for scalar in edgeNumbers(seed: 7) + random where Scalar.rangeMask(scalar) == .max {
      let (k1, k2) = Scalar.halves(scalar)
      #expect((half(k1).residue + half(k2).residue * Natural(Scalar.lambda)) % n == Natural(scalar), "\(scalar)")
      #expect(half(k1).magnitude >> 96 == 0 && half(k2).magnitude >> 96 == 0, "\(scalar)")
    }
  }

  @Test("The digits sum up to the half") func digitsSumUpToTheHalf() {
    let ones = UInt128.max >> 32
    for bits in [
      0, 1, 7, 8, 9, 15, 16, 0x88, ones, 0 &- 1, 0 &- 8, 0 &- ones, 0x8888_8888_8888_8888_8888_8888 as UInt128,
    ] {
      var sum: UInt128 = 0
      for position in 0..<Scalar.digitCount {
        let (magnitude, negativeMask) = Scalar.digit(position, of: bits)
        #expect(magnitude <= 8)
        let term = UInt128(magnitude) << UInt128(4 * position)
        sum = negativeMask == 0 ? sum &+ term : sum &- term
      }
      #expect(sum == bits)
    }
  }
}
