import LatchkeyByteCoding

/// A scalar times any point, in a time that depends on neither.
package enum ScalarMultiplication {
  /// `scalar` · `point`: 96 doublings and 49 additions, since the endomorphism halves the scalar.
  ///
  /// Both halves run through windows of four bits over tables of 1 to 8 times the point. Each read touches a whole table
  /// and keeps one entry by mask. `scalar` is below n; `point` is on the curve.
  package static func multiply(_ point: AffinePoint, by scalar: borrowing SecretScalar) -> ProjectivePoint {
    let single = ProjectivePoint(point)
    let table = Table(single)
    let imageTable = table.endomorphism
    var (k1, k2) = Scalar.halves(scalar.value)
    var sum = ProjectivePoint.infinity
    for position in stride(from: Scalar.digitCount - 1, through: 0, by: -1) {
      sum = sum.doubled().doubled().doubled().doubled()
      sum = sum + table.select(Scalar.digit(position, of: k1))
      sum = sum + imageTable.select(Scalar.digit(position, of: k2))
    }
    wipeBits(of: &k1)
    wipeBits(of: &k2)
    return sum
  }

  /// 1 to 8 times a point.
  private struct Table {
    private var multiples: InlineArray<8, ProjectivePoint>

    init(_ point: ProjectivePoint) {
      multiples = InlineArray(first: point) { $0 + point }
    }

    private init(multiples: InlineArray<8, ProjectivePoint>) {
      self.multiples = multiples
    }

    /// The same table for the point's image under the endomorphism.
    var endomorphism: Table {
      var images = multiples
      for index in images.indices { images[index] = images[index].endomorphism }
      return Table(multiples: images)
    }

    /// The digit times the point; infinity for 0.
    @inline(__always)
    func select(_ digit: (magnitude: UInt64, negativeMask: UInt64)) -> ProjectivePoint {
      var chosen = ProjectivePoint.infinity
      for index in multiples.indices {
        let mask = equalMask(digit.magnitude, UInt64(truncatingIfNeeded: index &+ 1))
        chosen.x = FieldElement.choose(mask, multiples[index].x, chosen.x)
        chosen.y = FieldElement.choose(mask, multiples[index].y, chosen.y)
        chosen.z = FieldElement.choose(mask, multiples[index].z, chosen.z)
      }
      chosen.y = FieldElement.choose(digit.negativeMask, FieldElement(0) - chosen.y, chosen.y)
      return chosen
    }
  }
}

/// All ones if two numbers below 2^63 are equal, else none.
@inline(__always)
func equalMask(_ a: UInt64, _ b: UInt64) -> UInt64 {
  0 &- (((a ^ b) &- 1) &>> 63)
}
