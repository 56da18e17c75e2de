import LatchkeyKeychainModel

extension ProcessSettings {
  /// Who can be asked whether a user is there.
  var presenceConfiguration: PresenceConfiguration {
    PresenceConfiguration(
      biometry: presence.biometry.map(\.authenticator), prompter: EnvironmentPrompter(askpass: askpass))
  }
}

extension PresenceSettings.Source {
  /// Who is asked.
  var authenticator: any Authenticator {
    switch self {
    case .fprintd: FprintdAuthenticator()
    case .pam(let service): PAMAuthenticator(service: service)
    case .program(let path): ProgramAuthenticator(path: path)
    }
  }
}
