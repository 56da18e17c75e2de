public import LatchkeyKeychainModel

/// The ways to authenticate and prompt the user.
public struct PresenceConfiguration: Sendable {
  /// The authenticators that count as biometry, in the order in which they are tried: the first available one is used. Only
  /// those are used that the keychain accepts for its user (`KeychainDatabase.allowedAuthenticators()`).
  public var biometry: [any Authenticator]
  /// Prompts for the passcode and for application passwords if a context has no prompter; nil: no prompt is possible, and a
  /// call that needs one throws `.notInteractive`.
  public var prompter: (any PresencePrompter)?

  /// The clock and timers.
  package var clock = PresenceClock.system
  /// Root's list of accepted authenticators.
  package var machine = MachineAuthenticators()

  /// Creates a configuration, by default without biometry and prompter.
  public init(biometry: [any Authenticator] = [], prompter: (any PresencePrompter)? = nil) {
    self.biometry = biometry
    self.prompter = prompter
  }
}
