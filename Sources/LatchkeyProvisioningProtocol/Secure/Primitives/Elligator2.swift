/// The Elligator 2 map to Curve25519 (RFC 9380 6.7.1; draft-irtf-cfrg-cpace-21 A.5), of which CPace needs the u-coordinate alone.
enum Elligator2 {
  /// A of the curve v² = u³ + A u² + u.
  private static var coefficient: Field25519 { Field25519(486_662) }

  /// The u-coordinate for the element that 32 bytes stand for. Its time does not depend on them.
  static func map(_ bytes: [UInt8]) -> [UInt8] {
    let r = Field25519(bytes: bytes)
    // 2 is no square, so 1 + 2r² is never 0.
    let denominator = Field25519(1) + r.squared() + r.squared()
    let v = -(coefficient * denominator.inverted())
    let right = v * (v.squared() + coefficient * v + Field25519(1))
    // The symbol is 1, 0 or p - 1; the first byte of the last is EC.
    let symbol = right.legendreSymbol().bytes
    let isNoSquare = 0 &- UInt64(symbol[0] >> 7)
    return Field25519.choose(isNoSquare, -v + -coefficient, v).bytes
  }
}
