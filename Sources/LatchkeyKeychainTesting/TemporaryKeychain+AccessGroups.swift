public import LatchkeyKeychainModel

// The same with plain types, for tests that import only Security and LatchkeyKeychainTesting.
extension TemporaryKeychain {
  /// Creates an empty keychain for a program with these access groups.
  ///
  /// - Parameters:
  ///   - passcode: the passcode; nil for none, which means always unlocked.
  ///   - accessGroups: the program's groups in order: new items go to the first. "*" means all groups; with none at all every
  ///     call fails with `errSecMissingEntitlement`.
  ///   - isUnlocked: false leaves it as after a program's start, before the first unlock. It needs a passcode.
  ///   - biometry: the authenticators for biometry (``ScriptedAuthenticator``); empty for none.
  ///   - prompter: the user who types the passcode and application passwords (``ScriptedPrompter``); nil for no prompts.
  /// - Throws: errors of opening a keychain; `.passcodeRefused` for an empty passcode.
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
