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
