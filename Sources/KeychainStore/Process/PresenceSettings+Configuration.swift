import KeychainModel

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
    case .fprintd: UnavailableAuthenticator(name: "fprintd")
    case .pam(let service): UnavailableAuthenticator(name: "pam:\(service)")
    case .program(let path): UnavailableAuthenticator(name: "program:\(path)")
    }
  }
}

/// Stands for what this version cannot ask: it is configured, and never there.
private struct UnavailableAuthenticator: Authenticator {
  let name: String
  let strength = PresenceStrength.asserted

  private var error: PresenceError { .biometryNotAvailable("\(name) cannot be asked by this version") }

  func checkAvailability() throws(PresenceError) { throw error }
  func enrolment() throws(PresenceError) -> [UInt8] { throw error }
  func authenticate(_ attempt: PresenceAttempt) throws(PresenceError) -> PresenceProof { throw error }
}
