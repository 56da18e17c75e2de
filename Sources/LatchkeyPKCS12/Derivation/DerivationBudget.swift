/// What is left of the rounds that one file may cost. Rounds are paid for before they are run.
struct DerivationBudget {
  let limits: PKCS12Limits
  private var rounds: Int

  init(_ limits: PKCS12Limits) {
    self.limits = limits
    rounds = limits.iterations
  }

  /// Whether so many rounds can be paid for.
  func affords(_ cost: Int) -> Bool { cost <= rounds }

  /// Pays for so many rounds.
  mutating func spend(_ cost: Int) throws(PKCS12Error) {
    guard affords(cost) else {
      throw .tooLarge("the file asks for more rounds of key derivation than the limit (PKCS12Limits.iterations)")
    }
    rounds -= cost
  }
}
