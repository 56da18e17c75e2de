/// A point of y² = x³ + 3 over the field, as (X : Y : Z) with x = X/Z and y = Y/Z; infinity is (0 : 1 : 0).
///
/// The formulas are complete: Renes, Costello, Batina, "Complete addition formulas for prime order elliptic curves"
/// (2016), algorithms 7, 8 and 9 for a = 0, with 3b = 9. They hold for equal points, opposite points and infinity alike,
/// so no case of the input shows in the flow of control.
package struct ProjectivePoint: BitwiseCopyable, Sendable {
  package var x: FieldElement
  package var y: FieldElement
  package var z: FieldElement

  @inline(__always)
  package init(x: FieldElement, y: FieldElement, z: FieldElement) {
    self.x = x
    self.y = y
    self.z = z
  }

  package init(_ point: AffinePoint) {
    self.init(x: point.x, y: point.y, z: FieldElement(1))
  }

  package static var infinity: ProjectivePoint {
    ProjectivePoint(x: FieldElement(0), y: FieldElement(1), z: FieldElement(0))
  }

  /// Algorithm 7: 12 multiplications.
  @inline(never)
  package static func + (p: ProjectivePoint, q: ProjectivePoint) -> ProjectivePoint {
    let xx = p.x * q.x
    let yy = p.y * q.y
    let zz = p.z * q.z
    let xy = (p.x + p.y) * (q.x + q.y) - (xx + yy)
    let yz = (p.y + p.z) * (q.y + q.z) - (yy + zz)
    let xz9 = ((p.x + p.z) * (q.x + q.z) - (xx + zz)).times(9)
    return combined(xx3: xx.times(3), yy: yy, zz9: zz.times(9), xy: xy, yz: yz, xz9: xz9)
  }

  /// Algorithm 8: the second point has Z = 1; 11 multiplications.
  @inline(never)
  package static func + (p: ProjectivePoint, q: AffinePoint) -> ProjectivePoint {
    let xx = p.x * q.x
    let yy = p.y * q.y
    let xy = (p.x + p.y) * (q.x + q.y) - (xx + yy)
    let yz = q.y * p.z + p.y
    let xz9 = (q.x * p.z + p.x).times(9)
    return combined(xx3: xx.times(3), yy: yy, zz9: p.z.times(9), xy: xy, yz: yz, xz9: xz9)
  }

  /// The end that algorithms 7 and 8 share; xy, yz and xz9 are the sums of both mixed products.
  @inline(__always)
  private static func combined(
    xx3: FieldElement, yy: FieldElement, zz9: FieldElement, xy: FieldElement, yz: FieldElement, xz9: FieldElement
  ) -> ProjectivePoint {
    let sum = yy + zz9
    let difference = yy - zz9
    return ProjectivePoint(
      x: xy * difference - yz * xz9, y: difference * sum + xz9 * xx3, z: sum * yz + xx3 * xy)
  }

  /// Algorithm 9: 6 multiplications and 2 squarings.
  @inline(never)
  package func doubled() -> ProjectivePoint {
    let yy = y.squared()
    let yy8 = yy.times(8)
    let zz9 = z.squared().times(9)
    let difference = yy - zz9.times(3)
    let halfX = (x * y) * difference
    return ProjectivePoint(x: halfX + halfX, y: difference * (yy + zz9) + zz9 * yy8, z: (y * z) * yy8)
  }

  /// The image under the curve's endomorphism (x, y) → (βx, y), which is `Scalar.lambda` times the point.
  @inline(__always)
  package var endomorphism: ProjectivePoint {
    ProjectivePoint(x: x * AffinePoint.beta, y: y, z: z)
  }

  /// The same point with Z = 1; (0, 0), which is on no curve of this form, for infinity.
  package var affine: AffinePoint {
    let inverse = z.inverted()
    return AffinePoint(x: FieldElement((x * inverse).canonical), y: FieldElement((y * inverse).canonical))
  }
}

/// A point of the curve by its coordinates. Infinity has none.
package struct AffinePoint: BitwiseCopyable, Sendable {
  package var x: FieldElement
  package var y: FieldElement

  @inline(__always)
  package init(x: FieldElement, y: FieldElement) {
    self.x = x
    self.y = y
  }

  /// The base point G (SEC 2, 2.2.1).
  package static var generator: AffinePoint {
    AffinePoint(
      x: FieldElement(UInt192(0x1DA5_D1B1_EAE0_6C7D, 0x26B0_7D02_80B7_F434, 0xDB4F_F10E_C057_E9AE)),
      y: FieldElement(UInt192(0x4082_AA88_D95E_2F9D, 0x8441_63D0_15BE_8634, 0x9B2F_2F6D_9C56_28A7)))
  }

  /// A primitive cube root of one modulo p: (βx, y) is on the curve when (x, y) is.
  package static var beta: FieldElement {
    FieldElement(UInt192(0x0CB4_F55B_35F4_33C2, 0xD087_F601_554B_96B8, 0xBB85_6919_39B8_69C1))
  }
}
