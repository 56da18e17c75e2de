public import LatchkeyKeychainModel
public import LatchkeyUserPresence

extension ProcessSettings {
  /// The ways to prompt the user.
  var presenceConfiguration: PresenceConfiguration {
    PresenceConfiguration(
      biometry: presence.biometry.map(\.authenticator), prompter: EnvironmentPrompter(askpass: askpass))
  }
}

extension PresenceConfiguration {
  /// The configuration from this process's environment: biometry by `LATCHKEY_PRESENCE`; prompts by the program in
  /// `LATCHKEY_ASKPASS`, or else by the terminal. The process's own keychain uses it by default.
  ///
  /// - Throws: `.configuration` for an invalid variable.
  public static func environment() throws(StoreError) -> PresenceConfiguration { try EnvironmentChoices.presence() }
}
