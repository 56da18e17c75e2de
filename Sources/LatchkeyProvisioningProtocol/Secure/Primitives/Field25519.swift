/// An integer modulo p = 2^255 - 19 (RFC 7748 4.1), for the map to Curve25519; multiples of points are swift-crypto's.
///
/// Five limbs of 51 bits, of which each may exceed its bits by a little between operations. Nothing here branches, indexes or
/// traps by a value.
struct Field25519: BitwiseCopyable, Sendable {
  private var limbs: (UInt64, UInt64, UInt64, UInt64, UInt64)

  private static var mask: UInt64 { 0x7_FFFF_FFFF_FFFF }

  private init(_ l0: UInt64, _ l1: UInt64, _ l2: UInt64, _ l3: UInt64, _ l4: UInt64) {
    limbs = (l0, l1, l2, l3, l4)
  }

  /// A number below 2^51.
  init(_ small: UInt64) { self.init(small & Self.mask, 0, 0, 0, 0) }

  /// The coordinate that 32 bytes stand for: little-endian, bit 255 ignored, modulo p (RFC 7748 5). Bytes that are missing are 0.
  init(bytes: [UInt8]) {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    for (index, byte) in bytes.prefix(32).enumerated() {
      let part = UInt64(byte) << UInt64(index % 8 * 8)
      switch index / 8 {
      case 0: words.0 |= part
      case 1: words.1 |= part
      case 2: words.2 |= part
      default: words.3 |= part
      }
    }
    self.init(
      words.0 & Self.mask, (words.0 >> 51 | words.1 << 13) & Self.mask, (words.1 >> 38 | words.2 << 26) & Self.mask,
      (words.2 >> 25 | words.3 << 39) & Self.mask, words.3 >> 12 & Self.mask)
  }

  /// The representative below p, little-endian.
  var bytes: [UInt8] {
    var (l0, l1, l2, l3, l4) = carried().carried().limbs
    // 1 if the number is p or more: then adding 19 carries out of bit 255.
    var over = (l0 &+ 19) >> 51
    over = (l1 &+ over) >> 51
    over = (l2 &+ over) >> 51
    over = (l3 &+ over) >> 51
    over = (l4 &+ over) >> 51
    l0 = l0 &+ 19 &* over
    l1 = l1 &+ l0 >> 51
    l2 = l2 &+ l1 >> 51
    l3 = l3 &+ l2 >> 51
    l4 = l4 &+ l3 >> 51
    (l0, l1, l2, l3, l4) = (l0 & Self.mask, l1 & Self.mask, l2 & Self.mask, l3 & Self.mask, l4 & Self.mask)
    let words = [l0 | l1 << 51, l1 >> 13 | l2 << 38, l2 >> 26 | l3 << 25, l3 >> 39 | l4 << 12]
    return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) } }
  }

  static func + (a: Field25519, b: Field25519) -> Field25519 {
    Field25519(
      a.limbs.0 &+ b.limbs.0, a.limbs.1 &+ b.limbs.1, a.limbs.2 &+ b.limbs.2, a.limbs.3 &+ b.limbs.3,
      a.limbs.4 &+ b.limbs.4
    ).carried()
  }

  static prefix func - (a: Field25519) -> Field25519 {
    // 4p - a: each limb of 4p exceeds what a limb of `a` may be.
    Field25519(
      0x1F_FFFF_FFFF_FFB4 &- a.limbs.0, 0x1F_FFFF_FFFF_FFFC &- a.limbs.1, 0x1F_FFFF_FFFF_FFFC &- a.limbs.2,
      0x1F_FFFF_FFFF_FFFC &- a.limbs.3, 0x1F_FFFF_FFFF_FFFC &- a.limbs.4
    ).carried()
  }

  static func * (a: Field25519, b: Field25519) -> Field25519 {
    let (a0, a1, a2, a3, a4) = a.wide
    let (b0, b1, b2, b3, b4) = b.wide
    // 2^255 is 19 modulo p.
    let (c1, c2, c3, c4) = (b1 &* 19, b2 &* 19, b3 &* 19, b4 &* 19)
    return reduced(
      a0 &* b0 &+ a1 &* c4 &+ a2 &* c3 &+ a3 &* c2 &+ a4 &* c1,
      a0 &* b1 &+ a1 &* b0 &+ a2 &* c4 &+ a3 &* c3 &+ a4 &* c2,
      a0 &* b2 &+ a1 &* b1 &+ a2 &* b0 &+ a3 &* c4 &+ a4 &* c3,
      a0 &* b3 &+ a1 &* b2 &+ a2 &* b1 &+ a3 &* b0 &+ a4 &* c4,
      a0 &* b4 &+ a1 &* b3 &+ a2 &* b2 &+ a3 &* b1 &+ a4 &* b0)
  }

  func squared() -> Field25519 { self * self }

  /// `first` where `mask` has ones, `second` where it has none.
  static func choose(_ mask: UInt64, _ first: Field25519, _ second: Field25519) -> Field25519 {
    func pick(_ a: UInt64, _ b: UInt64) -> UInt64 { b ^ (mask & (a ^ b)) }
    return Field25519(
      pick(first.limbs.0, second.limbs.0), pick(first.limbs.1, second.limbs.1), pick(first.limbs.2, second.limbs.2),
      pick(first.limbs.3, second.limbs.3), pick(first.limbs.4, second.limbs.4))
  }

  private var wide: (UInt128, UInt128, UInt128, UInt128, UInt128) {
    (UInt128(limbs.0), UInt128(limbs.1), UInt128(limbs.2), UInt128(limbs.3), UInt128(limbs.4))
  }

  private static func reduced(
    _ s0: UInt128, _ s1: UInt128, _ s2: UInt128, _ s3: UInt128, _ s4: UInt128
  ) -> Field25519 {
    let mask = UInt128(Self.mask)
    let t1 = s1 &+ s0 >> 51
    let t2 = s2 &+ t1 >> 51
    let t3 = s3 &+ t2 >> 51
    let t4 = s4 &+ t3 >> 51
    let l0 = (s0 & mask) &+ (t4 >> 51) &* 19
    let l1 = (t1 & mask) &+ l0 >> 51
    return Field25519(
      UInt64(truncatingIfNeeded: l0 & mask), UInt64(truncatingIfNeeded: l1), UInt64(truncatingIfNeeded: t2 & mask),
      UInt64(truncatingIfNeeded: t3 & mask), UInt64(truncatingIfNeeded: t4 & mask))
  }

  private func carried() -> Field25519 {
    let l1 = limbs.1 &+ limbs.0 >> 51
    let l2 = limbs.2 &+ l1 >> 51
    let l3 = limbs.3 &+ l2 >> 51
    let l4 = limbs.4 &+ l3 >> 51
    return Field25519(
      (limbs.0 & Self.mask) &+ (l4 >> 51) &* 19, l1 & Self.mask, l2 & Self.mask, l3 & Self.mask, l4 & Self.mask)
  }
}

extension Field25519 {
  /// The element to the power p - 2 = 32 (2^250 - 1) + 11, which is its inverse; 0 for 0.
  func inverted() -> Field25519 {
    let power2 = squared()
    let power9 = power2.squared(times: 2) * self
    return ones250().squared(times: 5) * (power9 * power2)
  }

  /// The element to the power (p - 1)/2 = 16 (2^250 - 1) + 6: 1 for a square, -1 for none, 0 for 0.
  func legendreSymbol() -> Field25519 {
    ones250().squared(times: 4) * (squared() * self).squared()
  }

  /// The element to the power 2^250 - 1.
  private func ones250() -> Field25519 {
    let ones2 = squared() * self
    let ones3 = ones2.squared() * self
    let ones5 = ones3.squared(times: 2) * ones2
    let ones10 = ones5.squared(times: 5) * ones5
    let ones20 = ones10.squared(times: 10) * ones10
    let ones40 = ones20.squared(times: 20) * ones20
    let ones50 = ones40.squared(times: 10) * ones10
    let ones100 = ones50.squared(times: 50) * ones50
    let ones200 = ones100.squared(times: 100) * ones100
    return ones200.squared(times: 50) * ones50
  }

  private func squared(times count: Int) -> Field25519 {
    var power = self
    for _ in 0..<count { power = power.squared() }
    return power
  }
}
