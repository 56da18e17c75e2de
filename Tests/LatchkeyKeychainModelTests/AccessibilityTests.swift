import LatchkeyKeychainModel
import Testing

@Suite("Accessibility") struct AccessibilityTests {
  /// Apple's constants' values, the names on the command line, and whether backups leave the item out.
  private static let table: [(Accessibility, code: String, name: String, isThisDeviceOnly: Bool)] = [
    (.whenUnlocked, "ak", "when-unlocked", false),
    (.afterFirstUnlock, "ck", "after-first-unlock", false),
    (.always, "dk", "always", false),
    (.whenUnlockedThisDeviceOnly, "aku", "when-unlocked-this-device-only", true),
    (.afterFirstUnlockThisDeviceOnly, "cku", "after-first-unlock-this-device-only", true),
    (.alwaysThisDeviceOnly, "dku", "always-this-device-only", true),
    (.whenPasscodeSetThisDeviceOnly, "akpu", "when-passcode-set-this-device-only", true),
  ]

  @Test("Each accessibility has Apple's code and a name of its own on the command line") func codes() {
    #expect(Self.table.map(\.0) == Accessibility.allCases)
    for (accessibility, code, name, _) in Self.table {
      #expect(accessibility.rawValue == code)
      #expect(Accessibility(rawValue: code) == accessibility)
      #expect(accessibility.commandName == name)
    }
  }

  @Test(
    "A text that is no code of Apple's names no accessibility",
    arguments: [
      "", "a", "k", "AK", "Ak", " ak", "ak ", "ak\n", "ak\0", "akp", "akup", "akpu ", "ckpu", "dkpu", "bk", "aк",
      "when-unlocked", "kSecAttrAccessibleWhenUnlocked",
    ])
  func unknownCodes(_ text: String) {
    #expect(Accessibility(rawValue: text) == nil)
  }

  @Test("An item stays on this device exactly if its accessibility says so") func thisDeviceOnly() {
    for (accessibility, code, _, isThisDeviceOnly) in Self.table {
      #expect(accessibility.isThisDeviceOnly == isThisDeviceOnly, "\(code)")
    }
  }

  @Test("That an item stays on this device changes nothing about when it can be read") func availability() {
    #expect(Accessibility.whenUnlocked.availability == .whileUnlocked)
    #expect(Accessibility.whenUnlockedThisDeviceOnly.availability == .whileUnlocked)
    #expect(Accessibility.whenPasscodeSetThisDeviceOnly.availability == .whileUnlocked)
    #expect(Accessibility.afterFirstUnlock.availability == .afterFirstUnlock)
    #expect(Accessibility.afterFirstUnlockThisDeviceOnly.availability == .afterFirstUnlock)
    #expect(Accessibility.always.availability == .always)
    #expect(Accessibility.alwaysThisDeviceOnly.availability == .always)
  }
}
