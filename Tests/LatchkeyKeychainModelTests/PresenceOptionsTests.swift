import LatchkeyKeychainModel
import Testing

@Suite("PresenceOptions") struct PresenceOptionsTests {
  @Test("By default the user may be asked, and biometry given once counts for no other context") func defaults() {
    let options = PresenceOptions()
    #expect(options.reason.isEmpty)
    #expect(!options.interactionNotAllowed)
    #expect(options.biometryReuseDuration == 0)
    #expect(options.prompter == nil)
  }

  @Test("A fallback with an empty title is not one without a title") func fallbackTitle() {
    var options = PresenceOptions()
    #expect(options.fallbackTitle == nil && options.cancelTitle == nil)
    options.fallbackTitle = ""
    #expect(options.fallbackTitle == .some(""))
    #expect(options.cancelTitle == nil)
  }
}
