/// An integer modulo p = 2^192 - 2^32 - 0x11C9, the prime of secp192k1 (SEC 2, 2.2.1).
///
/// The limbs may hold any 192-bit number, p and what lies above it included: operations keep their results below 2^192 and
/// leave them there, since folding back is what costs. `canonical` gives the one representative below p.
/// Nothing here branches, indexes or traps by a value.
package struct FieldElement: BitwiseCopyable, Sendable {
  package var limbs: UInt192

  @inline(__always)
  package init(_ limbs: UInt192) {
    self.limbs = limbs
  }

  /// A number of one limb.
  @inline(__always)
  package init(_ small: UInt64) {
    limbs = UInt192(small, 0, 0)
  }

  /// p.
  package static var modulus: UInt192 { UInt192(0xFFFF_FFFE_FFFF_EE37, .max, .max) }

  /// 2^192 - p: what a carry out of the top limb is worth.
  private static var excess: UInt64 { 0x1_0000_11C9 }

  /// The representative below p.
  package var canonical: UInt192 {
    // No number of 192 bits reaches 2p, so one subtraction is enough.
    let (reduced, below) = limbs.subtracting(Self.modulus)
    return UInt192.choose(below, limbs, reduced)
  }

  /// All ones if the element is 0, else none.
  var zeroMask: UInt64 { canonical.zeroMask }

  @inline(__always)
  package static func + (a: FieldElement, b: FieldElement) -> FieldElement {
    var carry: UInt64 = 0
    let s0 = add(a.limbs.limb0, b.limbs.limb0, &carry)
    let s1 = add(a.limbs.limb1, b.limbs.limb1, &carry)
    let s2 = add(a.limbs.limb2, b.limbs.limb2, &carry)
    let folded = (0 &- carry) & excess
    carry = 0
    let t0 = add(s0, folded, &carry)
    let t1 = add(s1, 0, &carry)
    let t2 = add(s2, 0, &carry)
    // A second carry leaves less than `excess` in the low limb: this addition cannot carry on.
    return FieldElement(UInt192(t0 &+ ((0 &- carry) & excess), t1, t2))
  }

  @inline(__always)
  package static func - (a: FieldElement, b: FieldElement) -> FieldElement {
    var borrow: UInt64 = 0
    let s0 = subtract(a.limbs.limb0, b.limbs.limb0, &borrow)
    let s1 = subtract(a.limbs.limb1, b.limbs.limb1, &borrow)
    let s2 = subtract(a.limbs.limb2, b.limbs.limb2, &borrow)
    let folded = (0 &- borrow) & excess
    borrow = 0
    let t0 = subtract(s0, folded, &borrow)
    let t1 = subtract(s1, 0, &borrow)
    let t2 = subtract(s2, 0, &borrow)
    // A second borrow leaves the low limb within `excess` of its top: this subtraction cannot borrow again.
    return FieldElement(UInt192(t0 &- ((0 &- borrow) & excess), t1, t2))
  }

  @inline(__always)
  package static func * (a: FieldElement, b: FieldElement) -> FieldElement {
    let (low, high) = a.limbs.multiplied(by: b.limbs)
    return reduced(low, high)
  }

  @inline(__always)
  package func squared() -> FieldElement {
    let (low, high) = limbs.squared()
    return Self.reduced(low, high)
  }

  /// The element times a number of at most 32 bits.
  @inline(__always)
  package func times(_ factor: UInt32) -> FieldElement {
    let factor = UInt64(truncatingIfNeeded: factor)
    var carry: UInt64 = 0
    let s0 = multiplyAdd(limbs.limb0, factor, 0, &carry)
    let s1 = multiplyAdd(limbs.limb1, factor, 0, &carry)
    let s2 = multiplyAdd(limbs.limb2, factor, 0, &carry)
    return Self.folded(s0, s1, s2, carry)
  }

  /// `first` where `mask` has ones, `second` where it has none.
  @inline(__always)
  static func choose(_ mask: UInt64, _ first: FieldElement, _ second: FieldElement) -> FieldElement {
    FieldElement(UInt192.choose(mask, first.limbs, second.limbs))
  }

  /// low + 2^192 · high, folded once: 2^192 is `excess` modulo p.
  @inline(__always)
  private static func reduced(_ low: UInt192, _ high: UInt192) -> FieldElement {
    var carry: UInt64 = 0
    let s0 = multiplyAdd(high.limb0, excess, low.limb0, &carry)
    let s1 = multiplyAdd(high.limb1, excess, low.limb1, &carry)
    let s2 = multiplyAdd(high.limb2, excess, low.limb2, &carry)
    return folded(s0, s1, s2, carry)
  }

  /// The three limbs and a fourth of at most 34 bits, folded into three.
  @inline(__always)
  private static func folded(_ s0: UInt64, _ s1: UInt64, _ s2: UInt64, _ top: UInt64) -> FieldElement {
    var carry: UInt64 = 0
    let t0 = multiplyAdd(top, excess, s0, &carry)
    let t1 = add(s1, 0, &carry)
    let t2 = add(s2, 0, &carry)
    let last = (0 &- carry) & excess
    carry = 0
    // A carry out of the top leaves less than 2^67, so that the second limb takes what the first gives.
    let u0 = add(t0, last, &carry)
    return FieldElement(UInt192(u0, t1 &+ carry, t2))
  }
}

extension FieldElement {
  /// The element to the power p - 2, which is its inverse; 0 for 0.
  ///
  /// p - 2 is, from the top, 159 ones, 0, 19 ones, 0, 111, 00011, 01, 01. The chain builds runs of ones (`ones19` is the
  /// power 2^19 - 1) and needs 191 squarings and 16 multiplications.
  package func inverted() -> FieldElement {
    let ones2 = squared() * self
    let ones3 = ones2.squared() * self
    let ones6 = ones3.squared(times: 3) * ones3
    let ones12 = ones6.squared(times: 6) * ones6
    let ones18 = ones12.squared(times: 6) * ones6
    let ones19 = ones18.squared() * self
    let ones38 = ones19.squared(times: 19) * ones19
    let ones76 = ones38.squared(times: 38) * ones38
    let ones152 = ones76.squared(times: 76) * ones76
    let ones158 = ones152.squared(times: 6) * ones6
    let ones159 = ones158.squared() * self
    var power = ones159.squared(times: 20) * ones19
    power = power.squared(times: 4) * ones3
    power = power.squared(times: 5) * ones2
    power = power.squared(times: 2) * self
    return power.squared(times: 2) * self
  }

  /// The element to the power 2^`count`.
  @inline(__always)
  private func squared(times count: Int) -> FieldElement {
    var power = self
    for _ in 0..<count { power = power.squared() }
    return power
  }
}
