import LatchkeyKeychainModel
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

@Suite("Presence: LATCHKEY_PRESENCE") struct PresenceSettingsTests {
  @Test("is a list of what counts as biometry, in its order") func list() throws {
    #expect(try PresenceSettings(nil).biometry.isEmpty)
    #expect(try PresenceSettings("passcode").biometry.isEmpty)
    #expect(try PresenceSettings("fprintd").biometry == [.fprintd])
    #expect(
      try PresenceSettings(" pam:login , passcode,fprintd,program:/usr/bin/face").biometry
        == [.pam(service: "login"), .fprintd, .program(path: "/usr/bin/face")])
    #expect(try PresenceSettings("program:face", workingDirectory: "/srv").biometry == [.program(path: "/srv/face")])
    #expect(try PresenceSettings("fprintd").biometry.map(\.authenticator.name) == ["fprintd"])
  }

  @Test("with an unknown name is an error that lists the name and the possible ones") func unknown() {
    for text in [
      "finger", "fprintd,", ",", " ", "Fprintd", "pam", "pam:", "pam:../x", "pam:a/b", "pam:.x", "program:", "program",
      "fprintd,fprintd", "pam:a b", String(repeating: "passcode,", count: 40) + "passcode", "fprintd;passcode",
    ] {
      let error = storeError { try PresenceSettings(text) }
      #expect(error.isConfiguration, "\(text)")
      for word in ["LATCHKEY_PRESENCE", "passcode", "fprintd", "pam:SERVICE", "program:PATH"] {
        #expect(error?.description.contains(word) == true)
      }
    }
  }

  @Test("and LATCHKEY_ASKPASS are a process's; a keychain opened by its path has neither") func process() throws {
    let settings = try ProcessSettings(
      environment: ["HOME": "/home/u", "LATCHKEY_PRESENCE": "fprintd", "LATCHKEY_ASKPASS": "bin/ask"],
      workingDirectory: "/srv")
    #expect(settings.askpass == "/srv/bin/ask" && settings.presenceConfiguration.biometry.map(\.name) == ["fprintd"])
    #expect(settings.presenceConfiguration.prompter is EnvironmentPrompter)
    #expect(
      storeError { try ProcessSettings(environment: ["HOME": "/h", "LATCHKEY_PRESENCE": "x"]) }.isConfiguration)
    let plain = KeychainDatabase.Configuration(path: "/nowhere").presence
    #expect(plain.biometry.isEmpty && plain.prompter == nil)
  }
}
