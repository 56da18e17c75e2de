package import LatchkeyKeychainModel

/// Biometry that recognizes every user.
package struct SomebodyThere: Authenticator {
  package let name = "somebody"
  package let strength = PresenceStrength.asserted

  package init() {}

  package func checkAvailability() {}
  package func enrollment() -> [UInt8] { [1] }
  package func authenticate(_ attempt: PresenceAttempt) -> PresenceProof { .asserted }
}
