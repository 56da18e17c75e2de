/// 192 bits in three limbs, least significant first: a scalar, or a coordinate of the curve.
///
/// All arithmetic on the curve's numbers comes down to the four functions at the end of this file. They neither branch
/// nor trap on their operands: every addition wraps, and carries travel as values.
package struct UInt192: BitwiseCopyable, Sendable {
  package var limb0: UInt64
  package var limb1: UInt64
  package var limb2: UInt64

  package static var zero: UInt192 { UInt192(0, 0, 0) }

  @inline(__always)
  package init(_ limb0: UInt64, _ limb1: UInt64, _ limb2: UInt64) {
    self.limb0 = limb0
    self.limb1 = limb1
    self.limb2 = limb2
  }

  /// The number whose 24 bytes, most significant first, start at `offset`; the caller has checked the length.
  init(bigEndian bytes: borrowing Span<UInt8>, from offset: Int) {
    self.init(
      Self.limb(bytes, from: offset + 16), Self.limb(bytes, from: offset + 8), Self.limb(bytes, from: offset))
  }

  private static func limb(_ bytes: borrowing Span<UInt8>, from offset: Int) -> UInt64 {
    var limb: UInt64 = 0
    for index in offset..<offset + 8 { limb = limb << 8 | UInt64(truncatingIfNeeded: bytes[index]) }
    return limb
  }

  /// Writes the number's 24 bytes, most significant first, from `offset` on; the caller has checked the length.
  func store(bigEndianTo bytes: inout MutableSpan<UInt8>, from offset: Int) {
    for index in 0..<8 {
      let shift = UInt64(truncatingIfNeeded: 56 - 8 * index)
      bytes[offset + index] = UInt8(truncatingIfNeeded: limb2 &>> shift)
      bytes[offset + index + 8] = UInt8(truncatingIfNeeded: limb1 &>> shift)
      bytes[offset + index + 16] = UInt8(truncatingIfNeeded: limb0 &>> shift)
    }
  }

  /// All ones if the number is zero, else none.
  @inline(__always)
  var zeroMask: UInt64 {
    let bits = limb0 | limb1 | limb2
    return ((bits | (0 &- bits)) &>> 63) &- 1
  }

  /// The number minus `other`, and all ones if that went below zero, else none.
  @inline(__always)
  func subtracting(_ other: UInt192) -> (difference: UInt192, borrowMask: UInt64) {
    var borrow: UInt64 = 0
    let difference = UInt192(
      subtract(limb0, other.limb0, &borrow), subtract(limb1, other.limb1, &borrow),
      subtract(limb2, other.limb2, &borrow))
    return (difference, 0 &- borrow)
  }

  /// `first` where `mask` has ones, `second` where it has none.
  @inline(__always)
  static func choose(_ mask: UInt64, _ first: UInt192, _ second: UInt192) -> UInt192 {
    UInt192(
      second.limb0 ^ (mask & (first.limb0 ^ second.limb0)), second.limb1 ^ (mask & (first.limb1 ^ second.limb1)),
      second.limb2 ^ (mask & (first.limb2 ^ second.limb2)))
  }

  /// The whole product with `other`.
  @inline(__always)
  func multiplied(by other: UInt192) -> (low: UInt192, high: UInt192) {
    var carry: UInt64 = 0
    let r0 = multiplyAdd(limb0, other.limb0, 0, &carry)
    var r1 = multiplyAdd(limb0, other.limb1, 0, &carry)
    var r2 = multiplyAdd(limb0, other.limb2, 0, &carry)
    var r3 = carry
    carry = 0
    r1 = multiplyAdd(limb1, other.limb0, r1, &carry)
    r2 = multiplyAdd(limb1, other.limb1, r2, &carry)
    r3 = multiplyAdd(limb1, other.limb2, r3, &carry)
    var r4 = carry
    carry = 0
    r2 = multiplyAdd(limb2, other.limb0, r2, &carry)
    r3 = multiplyAdd(limb2, other.limb1, r3, &carry)
    r4 = multiplyAdd(limb2, other.limb2, r4, &carry)
    return (UInt192(r0, r1, r2), UInt192(r3, r4, carry))
  }

  /// The number's square: the mixed products once, doubled, then the squares of the limbs.
  @inline(__always)
  func squared() -> (low: UInt192, high: UInt192) {
    var carry: UInt64 = 0
    let r1 = multiplyAdd(limb0, limb1, 0, &carry)
    let r2 = multiplyAdd(limb0, limb2, 0, &carry)
    var r3 = carry
    carry = 0
    r3 = multiplyAdd(limb1, limb2, r3, &carry)
    let r4 = carry
    let square0 = UInt128(truncatingIfNeeded: limb0) &* UInt128(truncatingIfNeeded: limb0)
    let square1 = UInt128(truncatingIfNeeded: limb1) &* UInt128(truncatingIfNeeded: limb1)
    let square2 = UInt128(truncatingIfNeeded: limb2) &* UInt128(truncatingIfNeeded: limb2)
    carry = 0
    let s1 = add(r1 &<< 1, UInt64(truncatingIfNeeded: square0 &>> 64), &carry)
    let s2 = add(r2 &<< 1 | r1 &>> 63, UInt64(truncatingIfNeeded: square1), &carry)
    let s3 = add(r3 &<< 1 | r2 &>> 63, UInt64(truncatingIfNeeded: square1 &>> 64), &carry)
    let s4 = add(r4 &<< 1 | r3 &>> 63, UInt64(truncatingIfNeeded: square2), &carry)
    let s5 = add(r4 &>> 63, UInt64(truncatingIfNeeded: square2 &>> 64), &carry)
    return (UInt192(UInt64(truncatingIfNeeded: square0), s1, s2), UInt192(s3, s4, s5))
  }
}

/// `a` · `b` + `c` + `carry`, which always fits 128 bits: the low half; the high half becomes the carry.
@inline(__always)
func multiplyAdd(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ carry: inout UInt64) -> UInt64 {
  let sum =
    UInt128(truncatingIfNeeded: a) &* UInt128(truncatingIfNeeded: b)
    &+ UInt128(truncatingIfNeeded: c) &+ UInt128(truncatingIfNeeded: carry)
  carry = UInt64(truncatingIfNeeded: sum &>> 64)
  return UInt64(truncatingIfNeeded: sum)
}

/// `a` + `b` + `carry`; the carry out is 0 or 1.
@inline(__always)
func add(_ a: UInt64, _ b: UInt64, _ carry: inout UInt64) -> UInt64 {
  let sum = UInt128(truncatingIfNeeded: a) &+ UInt128(truncatingIfNeeded: b) &+ UInt128(truncatingIfNeeded: carry)
  carry = UInt64(truncatingIfNeeded: sum &>> 64)
  return UInt64(truncatingIfNeeded: sum)
}

/// `a` - `b` - `borrow`; the borrow out is 0 or 1.
@inline(__always)
func subtract(_ a: UInt64, _ b: UInt64, _ borrow: inout UInt64) -> UInt64 {
  let difference =
    UInt128(truncatingIfNeeded: a) &- UInt128(truncatingIfNeeded: b) &- UInt128(truncatingIfNeeded: borrow)
  borrow = UInt64(truncatingIfNeeded: difference &>> 64) & 1
  return UInt64(truncatingIfNeeded: difference)
}
