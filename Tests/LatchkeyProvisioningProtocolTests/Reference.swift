import LatchkeyProvisioningProtocol

/// Slow arithmetic on naturals of any size, written for being plainly right: what the fast one is held against.
struct Natural: Equatable {
  /// Least significant first, without zeros at the top.
  private var digits: [UInt32]

  init(_ number: UInt192) {
    self.init(
      digits: [number.limb0, number.limb1, number.limb2].flatMap {
        [UInt32(truncatingIfNeeded: $0), UInt32(truncatingIfNeeded: $0 >> 32)]
      })
  }

  init(_ number: UInt128) {
    self.init(digits: (0..<4).map { UInt32(truncatingIfNeeded: number >> UInt128(32 * $0)) })
  }

  private init(digits: [UInt32]) {
    self.digits = digits
    while self.digits.last == 0 { self.digits.removeLast() }
  }

  static func + (a: Natural, b: Natural) -> Natural {
    var sum: [UInt32] = []
    var carry: UInt64 = 0
    for index in 0..<max(a.digits.count, b.digits.count) + 1 {
      carry += UInt64(a.digit(index)) + UInt64(b.digit(index))
      sum.append(UInt32(truncatingIfNeeded: carry))
      carry >>= 32
    }
    return Natural(digits: sum)
  }

  /// `a` - `b`, which must not be above `a`.
  static func - (a: Natural, b: Natural) -> Natural {
    var difference: [UInt32] = []
    var borrow: Int64 = 0
    for index in a.digits.indices {
      borrow += Int64(a.digit(index)) - Int64(b.digit(index))
      difference.append(UInt32(truncatingIfNeeded: borrow))
      borrow >>= 32
    }
    return Natural(digits: difference)
  }

  static func * (a: Natural, b: Natural) -> Natural {
    var product = [UInt32](repeating: 0, count: a.digits.count + b.digits.count)
    for (i, x) in a.digits.enumerated() {
      var carry: UInt64 = 0
      for (j, y) in b.digits.enumerated() {
        carry += UInt64(x) * UInt64(y) + UInt64(product[i + j])
        product[i + j] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      product[i + b.digits.count] = UInt32(carry)
    }
    return Natural(digits: product)
  }

  static func % (a: Natural, modulus: Natural) -> Natural {
    var rest = Natural(digits: [])
    for bit in stride(from: 32 * a.digits.count - 1, through: 0, by: -1) {
      rest = rest + rest + Natural(digits: [a.digit(bit / 32) >> UInt32(bit % 32) & 1])
      if !(rest < modulus) { rest = rest - modulus }
    }
    return rest
  }

  static func < (a: Natural, b: Natural) -> Bool {
    for index in stride(from: max(a.digits.count, b.digits.count), through: 0, by: -1)
    where a.digit(index) != b.digit(index) { return a.digit(index) < b.digit(index) }
    return false
  }

  private func digit(_ index: Int) -> UInt32 { index < digits.count ? digits[index] : 0 }
}

/// Numbers at the edges of the limbs and of the moduli, and some in between.
func edgeNumbers(seed: UInt64) -> [UInt192] {
  var generator = SeededGenerator(seed: seed)
  let p = FieldElement.modulus
  let n = Scalar.order
  return [
    UInt192(0, 0, 0), UInt192(1, 0, 0), UInt192(2, 0, 0), UInt192(.max, 0, 0), UInt192(0, 1, 0), UInt192(0, .max, 0),
    UInt192(0, 0, 1), UInt192(.max, .max, 0), UInt192(0, 0, .max), UInt192(0, .max, .max), UInt192(.max, .max, .max),
    UInt192(p.limb0 - 1, p.limb1, p.limb2), p, UInt192(p.limb0 + 1, p.limb1, p.limb2), UInt192(0x1_0000_11C9, 0, 0),
    UInt192(0x1_0000_11C8, 0, 0), UInt192(n.limb0 - 1, n.limb1, n.limb2), Scalar.lambda,
  ] + (0..<6).map { _ in UInt192(generator.next(), generator.next(), generator.next()) }
}
