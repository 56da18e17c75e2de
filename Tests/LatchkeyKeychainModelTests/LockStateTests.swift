import LatchkeyKeychainModel
import Testing

@Suite("LockState") struct LockStateTests {
  @Test("Before the first unlock only items that are always accessible are permitted") func beforeFirstUnlock() {
    let permitted = Accessibility.allCases.filter(LockState.beforeFirstUnlock.permits)
    #expect(permitted == [.always, .alwaysThisDeviceOnly])
  }

  @Test("A keychain that is locked again refuses the items that are accessible while unlocked, and no others")
  func locked() {
    let refused = Accessibility.allCases.filter { !LockState.locked.permits($0) }
    #expect(refused == [.whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly])
  }

  @Test("An unlocked keychain permits every accessibility") func unlocked() {
    #expect(Accessibility.allCases.allSatisfy(LockState.unlocked.permits))
  }

  @Test("A text that names no lock state is refused", arguments: ["", "Locked", "locked ", "unlock", "open"])
  func unknownStates(_ text: String) {
    #expect(LockState(rawValue: text) == nil)
  }
}
