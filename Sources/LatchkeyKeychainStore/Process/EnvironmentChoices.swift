public import LatchkeyKeychainModel
public import LatchkeyUserPresence

/// The environment's settings of a process's keychain, for programs that open another keychain, or open it differently.
package enum EnvironmentChoices {
  /// The path of the process's keychain; nil for a temporary one.
  package static func path() throws(StoreError) -> String? {
    switch try ProcessSettings.current().location {
    case .file(let path): path
    case .temporary: nil
    }
  }

  /// The root key's source: the one that `LATCHKEY_ROOT_KEY` names, else the systemd credential if the service has it, else the
  /// file beside the keychain.
  package static func rootKey() throws(StoreError) -> RootKeySource {
    try ProcessKeychain.rootKey(try ProcessSettings.current())
  }

  /// The engine that creates the enclave's new keys.
  package static func engines() throws(StoreError) -> EngineChoice { try ProcessSettings.current().engines }

  /// The PEM file with the certificates of a TPM's attestation key; nil without one.
  package static func attestationChain() throws(StoreError) -> String? {
    try ProcessSettings.current().attestationChain
  }

  /// The program's entitlements.
  package static func entitlements() throws(StoreError) -> Entitlements {
    try ProcessSettings.current().entitlements?.read() ?? .none
  }

  /// The passcode from a credential or a file, without a prompt; nil if neither is set.
  package static func passcode() throws(StoreError) -> [UInt8]? {
    try PasscodeSource.passcode(try ProcessSettings.current())
  }

  /// The ways to prompt the user.
  package static func presence() throws(StoreError) -> PresenceConfiguration {
    try ProcessSettings.current().presenceConfiguration
  }

  /// The path of the program that prompts for a passcode; nil if none is set.
  package static func askpass() throws(StoreError) -> String? { try ProcessSettings.current().askpass }
}

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
