/// The remaining rounds of key derivation for one file. Rounds are deducted before they run.
struct DerivationBudget {
  let limits: PKCS12Limits
  private var rounds: Int

  init(_ limits: PKCS12Limits) {
    self.limits = limits
    rounds = limits.iterations
  }

  /// Whether the budget covers this many rounds.
  func affords(_ cost: Int) -> Bool { cost <= rounds }

  /// Deducts this many rounds.
  mutating func spend(_ cost: Int) throws(PKCS12Error) {
    guard affords(cost) else {
      throw .tooLarge("the file asks for more rounds of key derivation than the limit (PKCS12Limits.iterations)")
    }
    rounds -= cost
  }
}
