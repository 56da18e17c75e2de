public import LatchkeyKeychainModel
public import LatchkeyUserPresence

extension ProcessSettings {
  /// Who can be asked whether a user is there.
  var presenceConfiguration: PresenceConfiguration {
    PresenceConfiguration(
      biometry: presence.biometry.map(\.authenticator), prompter: EnvironmentPrompter(askpass: askpass))
  }
}

extension PresenceConfiguration {
  /// What this process's environment says: biometry by `LATCHKEY_PRESENCE`; the program in `LATCHKEY_ASKPASS` asks, or else
  /// the terminal. The process's own keychain has it without being told.
  ///
  /// - Throws: `.configuration` for a variable that makes no sense.
  public static func environment() throws(StoreError) -> PresenceConfiguration { try EnvironmentChoices.presence() }
}
