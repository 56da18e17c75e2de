package import KeychainModel

/// Biometry that recognises anyone who is there.
package struct SomebodyThere: Authenticator {
  package let name = "somebody"
  package let strength = PresenceStrength.asserted

  package init() {}

  package func checkAvailability() {}
  package func enrolment() -> [UInt8] { [1] }
  package func authenticate(_ attempt: PresenceAttempt) -> PresenceProof { .asserted }
}
