import LatchkeyByteCoding

/// Finds the encoding of the password that a file uses, and decrypts its parts with it.
struct PasswordSearch {
  private var budget: DerivationBudget
  /// The remaining forms, the last successful one first.
  private var forms: [PasswordForm]

  var limits: PKCS12Limits { budget.limits }

  init(_ password: String?, _ limits: PKCS12Limits) {
    budget = DerivationBudget(limits)
    forms = PasswordForm.candidates(for: password)
  }

  /// Verifies the MAC of `content`.
  mutating func authenticate(_ content: PKCS12Reader, _ mac: MessageAuthentication) throws(PKCS12Error) {
    // Each kind of MAC uses one half of a form: an equal half is not tried twice.
    let usesWide = if case .own = mac { true } else { false }
    let half = usesWide ? \PasswordForm.wide : \PasswordForm.narrow
    _ = try firstForm(cost: mac.cost, half: half) { form throws(PKCS12Error) in
      try mac.authenticates(content, form) ? true : nil
    }
  }

  /// Decrypts `text`, which contains one SEQUENCE.
  mutating func decrypt(_ text: PKCS12Reader, _ scheme: EncryptionScheme) throws(PKCS12Error) -> SecretBytes {
    let depth = limits.depth
    return try firstForm(cost: scheme.cost, half: scheme.half) { form throws(PKCS12Error) in
      // One wrong key of 256 yields valid padding, but no SEQUENCE that ends where the text ends.
      guard let plain = try scheme.decrypt(text, form) else { return nil }
      var reader = PKCS12Reader(plain, depth: depth)
      guard reader.comes(.sequence), (try? reader.element("decrypted content")) != nil, reader.isEmpty else {
        return nil
      }
      return plain
    }
  }

  /// Returns the result of `attempt` for the first form with a non-nil one.
  private mutating func firstForm<Answer>(
    cost: Int, half: KeyPath<PasswordForm, SecretBytes>,
    _ attempt: (PasswordForm) throws(PKCS12Error) -> Answer?
  ) throws(PKCS12Error) -> Answer {
    var tried: [SecretBytes] = []
    for (index, form) in forms.enumerated() {
      let bytes = form[keyPath: half]
      guard !tried.contains(where: { $0.array() == bytes.array() }) else { continue }
      // The first attempt must be within the file's budget, else it throws. Further ones are this reader's choice, and end
      // where the budget ends.
      guard tried.isEmpty || budget.affords(cost) else { break }
      try budget.spend(cost)
      tried.append(bytes)
      if let answer = try attempt(form) {
        forms.swapAt(0, index)
        return answer
      }
    }
    throw .wrongPassword
  }
}

extension EncryptionScheme {
  /// The half of a password's form that derives the key.
  fileprivate var half: KeyPath<PasswordForm, SecretBytes> {
    switch self {
    case .pbes2AES, .pbes2TripleDES: \.narrow
    case .tripleDES, .rc2: \.wide
    }
  }
}
