import LatchkeyKeychainModel
import Testing

@Suite("Consent") struct ConsentTests {
  @Test("By default the user may be asked, nothing is remembered, and there is no reason") func defaults() {
    for consent in [Consent(), ItemQuery(.key).consent, NewItem(.key).consent] {
      #expect(consent.interaction == .allowed)
      #expect(consent.session == nil)
      #expect(consent.reason == nil)
    }
  }

  @Test("An interaction that is refused is not one that is skipped, and neither is allowed") func interactions() {
    #expect(Consent(interaction: .refused).interaction == .refused)
    #expect(Consent(interaction: .skipped).interaction == .skipped)
    #expect(Set([Consent.Interaction.allowed, .refused, .skipped]).count == 3)
  }

  @Test("An empty reason is a reason, and not the absence of one") func emptyReason() {
    #expect(Consent(reason: "").reason == .some(""))
  }
}
