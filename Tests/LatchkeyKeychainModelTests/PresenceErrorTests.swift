import LatchkeyKeychainModel
import Testing

@Suite("PresenceError") struct PresenceErrorTests {
  private static let text = "a text of the caller"
  private static let withText: [PresenceError] = [
    .authenticationFailed(text), .biometryNotAvailable(text), .biometryNotEnrolled(text), .biometryLockout(text),
    .companionNotAvailable(text), .notInteractive(text), .credentialMissing(text), .invalidParameter(text),
  ]
  private static let withoutText: [PresenceError] = [
    .userCancel, .userFallback, .systemCancel, .passcodeNotSet, .appCancel, .invalidContext,
  ]

  /// The case's number. A new case does not compile until it stands here, and the samples must have it then.
  private func number(of error: PresenceError) -> Int {
    switch error {
    case .authenticationFailed: 0
    case .userCancel: 1
    case .userFallback: 2
    case .systemCancel: 3
    case .passcodeNotSet: 4
    case .biometryNotAvailable: 5
    case .biometryNotEnrolled: 6
    case .biometryLockout: 7
    case .appCancel: 8
    case .invalidContext: 9
    case .companionNotAvailable: 10
    case .notInteractive: 11
    case .credentialMissing: 12
    case .invalidParameter: 13
    }
  }

  @Test("Every case is among the samples of these tests") func completeness() {
    #expect(Set((Self.withText + Self.withoutText).map(number)) == Set(0...13))
  }

  @Test("No case holds bytes, so that no secret can appear in a description or a dump") func noBytes() {
    for error in Self.withText + Self.withoutText { #expect(!holdsBytes(error), "\(error)") }
  }

  @Test("A case with a text is described by that text") func callersText() {
    for error in Self.withText { #expect(error.description == Self.text) }
  }

  @Test("A case without a text has a description of its own") func ownTexts() {
    let texts = Self.withoutText.map(\.description)
    #expect(Set(texts).count == texts.count)
    #expect(!texts.contains("") && !texts.contains(Self.text))
  }

  @Test("A description gives the next step where there is one") func nextStep() {
    #expect(PresenceError.userFallback.description.contains("evaluate a policy that"))
    #expect(PresenceError.systemCancel.description.contains("try again"))
    #expect(PresenceError.passcodeNotSet.description.contains("`latchkey keychain set-passcode`"))
    #expect(PresenceError.invalidContext.description.contains("make a new one"))
  }

  @Test("The three ways to cancel, and the two of an invalid context, are not equal") func equality() {
    #expect(PresenceError.userCancel != .systemCancel)
    #expect(PresenceError.userCancel != .appCancel)
    #expect(PresenceError.appCancel != .invalidContext)
    #expect(PresenceError.authenticationFailed("a") != .authenticationFailed("b"))
    #expect(PresenceError.biometryNotAvailable("a") != .biometryNotEnrolled("a"))
  }
}
