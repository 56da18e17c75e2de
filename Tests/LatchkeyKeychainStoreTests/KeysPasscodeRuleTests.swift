import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

@Suite("Rules for passcodes") struct KeysPasscodeRuleTests {
  @Test(
    "weak ones are refused",
    arguments: [
      "", "1", "1234", "123456", "sevench", "aaaaaaaa", "00000000000000", "12345678", "87654321", "abcdefgh", "üüüüüüü",
    ])
  func weak(_ passcode: String) {
    #expect(storeError { try PasscodeRule.validate(Array(passcode.utf8)) }.isPasscodeRefused)
  }

  @Test(
    "others are accepted", arguments: ["eightchr", "12345679", "11111112", "correct horse battery staple", "ünïcödé!"])
  func strong(_ passcode: String) {
    #expect(throws: Never.self) { try PasscodeRule.validate(Array(passcode.utf8)) }
  }

  @Test("more than 1024 bytes are refused, also in tests") func tooLong() {
    let long = (0...1024).map { UInt8($0 % 90 + 33) }
    #expect(storeError { try PasscodeRule.validate(long) }.isPasscodeRefused)
    #expect(storeError { try PasscodeRule.validate(long, takesWeak: true) }.isPasscodeRefused)
    #expect(throws: Never.self) { try PasscodeRule.validate(Array(long.dropLast())) }
  }

  @Test("Tests may use short ones, never an empty one") func short() {
    #expect(throws: Never.self) { try PasscodeRule.validate([0x31], takesWeak: true) }
    #expect(storeError { try PasscodeRule.validate([], takesWeak: true) }.isPasscodeRefused)
  }

  @Test("no error says anything of the passcode") func silent() {
    let text = storeError { try PasscodeRule.validate(Array("abcdefgh".utf8)) }?.description ?? ""
    #expect(!text.isEmpty && !text.contains("abcdefgh"))
  }
}
