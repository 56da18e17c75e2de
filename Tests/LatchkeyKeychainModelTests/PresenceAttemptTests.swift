import LatchkeyKeychainModel
import Testing

@Suite("PresenceAttempt and PresenceProof") struct PresenceAttemptTests {
  @Test("Canceling one attempt does not cancel another") func cancellations() {
    let first = PresenceAttempt(reason: "a")
    let second = PresenceAttempt(reason: "a")
    first.cancellation.cancel()
    #expect(first.cancellation.isCancelled)
    #expect(!second.cancellation.isCancelled)
    #expect(first.prompter == nil)
  }

  @Test("An asserted proof has no key material, and a bound one has what was given, also where it is empty")
  func proofs() {
    #expect(PresenceProof.asserted.material == nil)
    #expect(PresenceProof.bound([]).material == .some([]))
    #expect(PresenceProof.bound([1, 2]).material == [1, 2])
  }
}
