package import LatchkeyKeychainModel
import LatchkeyUserPresence

/// What the environment says about a process's keychain, for programs that open another one, or theirs in another way.
package enum EnvironmentChoices {
  /// The file of the process's keychain; nil for a temporary one.
  package static func path() throws(StoreError) -> String? {
    switch try ProcessSettings.current().location {
    case .file(let path): path
    case .temporary: nil
    }
  }

  /// Where the root key comes from: what `LATCHKEY_ROOT_KEY` names, else the systemd credential if the service has it, else the file beside the keychain.
  package static func rootKey() throws(StoreError) -> RootKeySource {
    try ProcessKeychain.rootKey(try ProcessSettings.current())
  }

  /// Which engine makes the enclave's new keys.
  package static func engines() throws(StoreError) -> EngineChoice { try ProcessSettings.current().engines }

  /// The PEM file with the certificates of a TPM's attestation key; nil without one.
  package static func attestationChain() throws(StoreError) -> String? {
    try ProcessSettings.current().attestationChain
  }

  /// The program's entitlements.
  package static func entitlements() throws(StoreError) -> Entitlements {
    try ProcessSettings.current().entitlements?.read() ?? .none
  }

  /// The passcode that a program has without anybody typing it; nil without one.
  package static func passcode() throws(StoreError) -> [UInt8]? {
    try PasscodeSource.passcode(try ProcessSettings.current())
  }

  /// Who can be asked whether a user is there.
  package static func presence() throws(StoreError) -> PresenceConfiguration {
    try ProcessSettings.current().presenceConfiguration
  }

  /// The program that asks for a passcode; nil without one.
  package static func askpass() throws(StoreError) -> String? { try ProcessSettings.current().askpass }
}
