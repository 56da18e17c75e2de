import LatchkeyKeychainModel
import Testing

@Suite("PresenceQuestion") struct PresenceQuestionTests {
  @Test("A first question has no complaint") func firstQuestion() {
    #expect(PresenceQuestion(.passcode, reason: "a").complaint == nil)
  }

  @Test("Questions differ by subject, reason and complaint, and a service's by whether the answer is secret")
  func equality() {
    let question = PresenceQuestion(.passcode, reason: "a")
    #expect(question == PresenceQuestion(.passcode, reason: "a"))
    #expect(question != PresenceQuestion(.applicationPassword, reason: "a"))
    #expect(question != PresenceQuestion(.passcode, reason: "b"))
    #expect(question != PresenceQuestion(.passcode, reason: "a", complaint: ""))
    #expect(
      PresenceQuestion(.service("PIN", isSecret: true), reason: "a")
        != PresenceQuestion(.service("PIN", isSecret: false), reason: "a"))
  }

  @Test("A question has no place for an answer") func noBytes() {
    let subjects: [PresenceQuestion.Subject] = [.passcode, .applicationPassword, .service("PIN", isSecret: true)]
    for subject in subjects { #expect(!holdsBytes(PresenceQuestion(subject, reason: "a", complaint: "b"))) }
  }
}
