public import LatchkeyKeychainModel

// The same in plain types, for tests that import Security and LatchkeyKeychainTesting alone.
extension TemporaryKeychain {
  /// Makes one, empty, for a program with these access groups.
  ///
  /// - Parameters:
  ///   - passcode: its passcode; nil is none, and then it is always unlocked.
  ///   - accessGroups: the program's groups in order: new items go to the first. "*" is all groups; none at all means that
  ///     every call is `errSecMissingEntitlement`.
  ///   - isUnlocked: false leaves it as it is after a start of the program, before its first unlock. It needs a passcode.
  ///   - biometry: what counts as biometry (``ScriptedAuthenticator``); without any there is none.
  ///   - prompter: who types the passcode and application passwords (``ScriptedPrompter``); without one nobody can be asked.
  /// - Throws: what opening a keychain throws; `.passcodeRefused` for an empty passcode.
  public convenience init(
    passcode: String? = nil, accessGroups: [String], isUnlocked: Bool = true, biometry: [any Authenticator] = [],
    prompter: (any PresencePrompter)? = nil
  ) throws(StoreError) {
    try self.init(
      passcode: passcode, entitlements: Entitlements(accessGroups: accessGroups), isUnlocked: isUnlocked,
      biometry: biometry, prompter: prompter)
  }

  /// Runs `body` as a program with these access groups, on this keychain.
  public func use<R>(accessGroups: [String], _ body: () throws -> R) rethrows -> R {
    try use(entitlements: Entitlements(accessGroups: accessGroups), body)
  }

  /// Runs `body` as a program with these access groups, on this keychain.
  public func use<R>(
    accessGroups: [String], isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R {
    try await use(entitlements: Entitlements(accessGroups: accessGroups), isolation: isolation, body)
  }
}
