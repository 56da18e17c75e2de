public import LatchkeyKeychainModel

/// Who can be asked whether a user is there.
public struct PresenceConfiguration: Sendable {
  /// What counts as biometry, in the order in which it is tried: the first that is available is asked. Of these only those
  /// count who may vouch for the keychain's user (`KeychainDatabase.allowedAuthenticators()`).
  public var biometry: [any Authenticator]
  /// What asks for the passcode and for application passwords, where a context brings no prompter of its own; nil: then
  /// nobody can be asked, and what would need it is `.notInteractive`.
  public var prompter: (any PresencePrompter)?

  /// What tells the time, and wakes.
  package var clock = PresenceClock.system
  /// Root's list of those who may vouch.
  package var machine = MachineAuthenticators()

  /// No biometry and no prompter, unless said otherwise.
  public init(biometry: [any Authenticator] = [], prompter: (any PresencePrompter)? = nil) {
    self.biometry = biometry
    self.prompter = prompter
  }
}
