import LatchkeyProvisioningProtocol
import Testing

@Suite struct FieldElementTests {
  private let p = Natural(FieldElement.modulus)

  private func value(_ element: FieldElement) -> Natural { Natural(element.canonical) }

  @Test("Field operations agree with plain arithmetic") func operationsAgreeWithPlainArithmetic() {
    for a in edgeNumbers(seed: 2) {
      let x = FieldElement(a)
      #expect(value(x) == Natural(a) % p)
      #expect(value(x.squared()) == Natural(a) * Natural(a) % p, "square of \(a)")
      for factor: UInt32 in [0, 1, 3, 8, 9, .max] {
        #expect(value(x.times(factor)) == Natural(a) * Natural(UInt128(factor)) % p, "\(a) times \(factor)")
      }
      for b in edgeNumbers(seed: 3) {
        let y = FieldElement(b)
        #expect(value(x + y) == (Natural(a) + Natural(b)) % p, "\(a) + \(b)")
        #expect(value(x - y) == (Natural(a) + p - Natural(b) % p) % p, "\(a) - \(b)")
        #expect(value(x * y) == Natural(a) * Natural(b) % p, "\(a) * \(b)")
      }
    }
  }

  @Test("An element times its inverse is 1, and 0 has 0") func inverseTimesElementIsOne() {
    for a in edgeNumbers(seed: 4) {
      let x = FieldElement(a)
      let expected: UInt64 = Natural(a) % p == Natural(UInt128(0)) ? 0 : 1
      #expect(value(x * x.inverted()) == Natural(UInt128(expected)), "inverse of \(a)")
    }
  }

  @Test("Long chains of operations agree with plain arithmetic") func longChainsStayInRange() {
    var generator = SeededGenerator(seed: 5)
    var fast = FieldElement(UInt192(generator.next(), generator.next(), generator.next()))
    var slow = value(fast)
    for round in 0..<200 {
      let number = round % 3 == 0 ? FieldElement.modulus : UInt192(generator.next(), .max, .max)
      fast = (fast * FieldElement(number) - FieldElement(number)).squared() + fast.times(9)
      slow =
        ((slow * Natural(number) + p - Natural(number) % p) % p
          * ((slow * Natural(number) + p - Natural(number) % p) % p)
          + slow * Natural(UInt128(9))) % p
      #expect(value(fast) == slow)
    }
  }
}
