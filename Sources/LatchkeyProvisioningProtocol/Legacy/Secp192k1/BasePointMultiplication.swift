import LatchkeyByteCoding

/// A scalar times the base point, from a table: what a key pair costs.
package enum BasePointMultiplication {
  /// How many digits lie between two of the table's rows: the comb's doublings are four for each but the first.
  private static var spacing: Int { 5 }
  private static var rowCount: Int { 5 }
  private static var rowLength: Int { 8 }

  /// 1 to 8 times 16^(5 · row) · G, row after row: 1920 bytes, computed once, at first use.
  private static let table: InlineArray<40, AffinePoint> = {
    var table = InlineArray<40, AffinePoint>(repeating: .generator)
    var base = ProjectivePoint(.generator)
    for row in 0..<rowCount {
      var multiple = base
      for column in 0..<rowLength {
        table[row * rowLength + column] = multiple.affine
        multiple = multiple + base
      }
      for _ in 0..<4 * spacing { base = base.doubled() }
    }
    return table
  }()

  /// `scalar` · G: 16 doublings and 50 additions. `scalar` is below n.
  ///
  /// A comb over both halves of the scalar: digits that lie `spacing` apart are added from their rows before the sum is
  /// doubled on. As in `ScalarMultiplication`, every read touches a whole row.
  package static func multiply(by scalar: borrowing SecretScalar) -> ProjectivePoint {
    var (k1, k2) = Scalar.halves(scalar.value)
    var sum = ProjectivePoint.infinity
    for offset in stride(from: spacing - 1, through: 0, by: -1) {
      if offset < spacing - 1 { sum = sum.doubled().doubled().doubled().doubled() }
      for row in 0..<rowCount {
        let digit1 = Scalar.digit(row * spacing + offset, of: k1)
        sum = add(select(row, digit1), to: sum, unlessZero: digit1.magnitude)
        let digit2 = Scalar.digit(row * spacing + offset, of: k2)
        var image = select(row, digit2)
        image.x = image.x * AffinePoint.beta
        sum = add(image, to: sum, unlessZero: digit2.magnitude)
      }
    }
    wipeBits(of: &k1)
    wipeBits(of: &k2)
    return sum
  }

  /// The digit times the row's point; any point for 0, which has no affine coordinates.
  @inline(__always)
  private static func select(_ row: Int, _ digit: (magnitude: UInt64, negativeMask: UInt64)) -> AffinePoint {
    var chosen = AffinePoint(x: FieldElement(0), y: FieldElement(1))
    for column in 0..<rowLength {
      let mask = equalMask(digit.magnitude, UInt64(truncatingIfNeeded: column &+ 1))
      let entry = table[row * rowLength + column]
      chosen.x = FieldElement.choose(mask, entry.x, chosen.x)
      chosen.y = FieldElement.choose(mask, entry.y, chosen.y)
    }
    chosen.y = FieldElement.choose(digit.negativeMask, FieldElement(0) - chosen.y, chosen.y)
    return chosen
  }

  /// `sum` + `point`, or `sum` where the digit's magnitude is 0; both are computed.
  @inline(__always)
  private static func add(
    _ point: AffinePoint, to sum: ProjectivePoint, unlessZero magnitude: UInt64
  ) -> ProjectivePoint {
    let added = sum + point
    let zero = equalMask(magnitude, 0)
    return ProjectivePoint(
      x: FieldElement.choose(zero, sum.x, added.x), y: FieldElement.choose(zero, sum.y, added.y),
      z: FieldElement.choose(zero, sum.z, added.z))
  }
}
