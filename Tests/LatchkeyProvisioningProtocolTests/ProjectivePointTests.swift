import LatchkeyProvisioningProtocol
import Testing

/// The formulas are complete: every pair of points goes through the same lines.
@Suite struct ProjectivePointTests {
  private let generator = ProjectivePoint(.generator)

  private func affine(_ point: ProjectivePoint) -> [Natural] {
    let affine = point.affine
    return [Natural(affine.x.canonical), Natural(affine.y.canonical)]
  }

  private func negated(_ point: ProjectivePoint) -> ProjectivePoint {
    ProjectivePoint(x: point.x, y: FieldElement(0) - point.y, z: point.z)
  }

  private func isInfinity(_ point: ProjectivePoint) -> Bool {
    Natural(point.z.canonical) == Natural(UInt128(0)) && Natural(point.y.canonical) != Natural(UInt128(0))
  }

  @Test("The sum of equal points is the double") func equalPointsAdd() {
    #expect(affine(generator + generator) == affine(generator.doubled()))
    #expect(affine(generator + AffinePoint.generator) == affine(generator.doubled()))
    let scaled = ProjectivePoint(
      x: generator.x.times(5), y: generator.y.times(5), z: generator.z.times(5))
    #expect(affine(scaled + generator) == affine(generator.doubled()))
  }

  @Test("The sum of opposite points is infinity") func oppositePointsGiveInfinity() {
    #expect(isInfinity(generator + negated(generator)))
    #expect(isInfinity(negated(generator) + AffinePoint.generator))
  }

  @Test("Infinity is neutral") func infinityIsNeutral() {
    let infinity = ProjectivePoint.infinity
    #expect(affine(generator + infinity) == affine(generator))
    #expect(affine(infinity + generator) == affine(generator))
    #expect(affine(infinity + AffinePoint.generator) == affine(generator))
    #expect(isInfinity(infinity + infinity))
    #expect(isInfinity(infinity.doubled()))
    #expect(affine(infinity) == [Natural(UInt128(0)), Natural(UInt128(0))])
  }

  @Test("The endomorphism multiplies by lambda") func endomorphismMultipliesByLambda() {
    let byLambda = ScalarMultiplication.multiply(.generator, by: SecretScalar(Scalar.lambda))
    #expect(affine(byLambda) == affine(generator.endomorphism))
  }

  @Test("Both multiplications agree") func bothMultiplicationsAgree() {
    for scalar in edgeNumbers(seed: 8) where Scalar.rangeMask(scalar) == .max {
      let secret = SecretScalar(scalar)
      let product = ScalarMultiplication.multiply(.generator, by: secret)
      #expect(affine(product) == affine(BasePointMultiplication.multiply(by: secret)), "\(scalar)")
    }
  }

  @Test("A small scalar is a repeated addition") func smallScalarsAreRepeatedAddition() {
    var sum = generator
    for scalar in 1...40 as ClosedRange<UInt64> {
      #expect(affine(ScalarMultiplication.multiply(.generator, by: SecretScalar(UInt192(scalar, 0, 0)))) == affine(sum))
      sum = sum + generator
    }
  }

  @Test("The order minus one gives the opposite point") func orderMinusOneIsTheOpposite() {
    let n = Scalar.order
    let product = BasePointMultiplication.multiply(by: SecretScalar(UInt192(n.limb0 - 1, n.limb1, n.limb2)))
    #expect(affine(product) == affine(negated(generator)))
    #expect(isInfinity(product + generator))
  }
}
