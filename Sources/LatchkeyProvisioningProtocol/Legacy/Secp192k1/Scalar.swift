/// Arithmetic on scalars, integers modulo the prime order n of secp192k1.
///
/// A multiplication needs of a scalar its range and its two halves for the endomorphism, no more.
package enum Scalar {
  /// n, the order of the curve (SEC 2, 2.2.1).
  package static var order: UInt192 {
    UInt192(0x0F69_466A_74DE_FD8D, 0xFFFF_FFFE_26F2_FC17, 0xFFFF_FFFF_FFFF_FFFF)
  }

  /// λ, the primitive cube root of one modulo n that goes with `AffinePoint.beta`.
  package static var lambda: UInt192 {
    UInt192(0x33B1_A580_0175_D0B1, 0x4F3D_5166_13C1_7590, 0x3D84_F26C_1223_8D7B)
  }

  /// All ones if `scalar` is in 1..<n, else none.
  package static func rangeMask(_ scalar: UInt192) -> UInt64 {
    scalar.subtracting(order).borrowMask & ~scalar.zeroMask
  }

  /// Two halves with `scalar` = k1 + k2 · λ modulo n, both within ±2^96, as two's complement.
  ///
  /// Gallant, Lambert, Vanstone (2001): the shortest vectors (a1, b1) and (a2, b2) with a + b · λ = 0 modulo n are
  /// subtracted as often as `scalar` holds them, by multiplying with 2^288 · b / n, rounded, and shifting. The exact halves
  /// are small, so 128 bits of the subtraction are enough.
  package static func halves(_ scalar: UInt192) -> (k1: UInt128, k2: UInt128) {
    let a1 = UInt128(0x7116_9BE7_330B_3038_EDB0_25F1)
    let minusB1 = UInt128(0xB3FB_3400_DEC5_C4AD_CEB8_655C)
    let a2 = UInt128(0x1_2511_CFE8_11D0_F4E6_BC68_8B4D)
    let b2 = a1
    let c1 = quotient(scalar, UInt192(0x42A6_0A2D_855D_F94B, 0xEDB0_25F1_D0F8_85EE, 0x7116_9BE7_330B_3038))
    let c2 = quotient(scalar, UInt192(0xF60F_5441_4944_E9B0, 0xCEB8_655D_4C94_4996, 0xB3FB_3400_DEC5_C4AD))
    let low = UInt128(truncatingIfNeeded: scalar.limb1) &<< 64 | UInt128(truncatingIfNeeded: scalar.limb0)
    return (low &- c1 &* a1 &- c2 &* a2, c1 &* minusB1 &- c2 &* b2)
  }

  /// `scalar` · `factor` / 2^288, rounded to the nearest; `factor` is below 2^192, so that nothing overflows.
  private static func quotient(_ scalar: UInt192, _ factor: UInt192) -> UInt128 {
    let high = scalar.multiplied(by: factor).high
    let top = UInt128(truncatingIfNeeded: high.limb2) &<< 64 | UInt128(truncatingIfNeeded: high.limb1)
    return (top &+ 1 &<< 31) &>> 32
  }

  /// How many digits `digit(_:of:)` has for a half.
  package static var digitCount: Int { 25 }

  /// The digit of 16^`position` in a half of a scalar: -8 to 8, as the magnitude and a mask that is all ones below zero.
  ///
  /// Booth's recoding: four bits and the bit below them. The digits' sum is the two's complement value itself.
  @inline(__always)
  package static func digit(_ position: Int, of half: UInt128) -> (magnitude: UInt64, negativeMask: UInt64) {
    let shifted = position == 0 ? half &<< 1 : half &>> UInt128(truncatingIfNeeded: 4 * position - 1)
    let window = UInt64(truncatingIfNeeded: shifted) & 31
    let negativeMask = 0 &- (window &>> 4)
    let sum = (window &>> 1) &+ (window & 1)
    // 16 - sum below zero, else the sum.
    return ((sum ^ negativeMask) &- negativeMask &+ (16 & negativeMask), negativeMask)
  }
}
