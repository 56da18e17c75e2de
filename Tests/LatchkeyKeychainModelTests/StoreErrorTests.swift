import LatchkeyKeychainModel
import Testing

@Suite("StoreError") struct StoreErrorTests {
  private static let text = "a text of the caller"
  private static let path = "/home/user/keychain.db"

  /// One of each case, and all forms of those that have several.
  private static let samples: [StoreError] =
    [
      .itemNotFound, .duplicateItem, .missingEntitlement(group: "T.app"), .missingEntitlement(group: nil),
      .invalidParameter(text), .noSuchAttribute(.server), .unimplemented(text), .passcodeNotSet,
      .wrongPasscode(attemptsBeforeDelay: 3), .wrongPasscode(attemptsBeforeDelay: 0), .passcodeDelayed(seconds: 60),
      .passcodeRefused(text), .rootKeyUnavailable(text), .damaged(text), .rolledBack(path: path),
      .notAKeychain(path: path), .newerFormat(path: path, found: 9, known: 4), .diskFull(path: path),
      .readOnly(path: path), .unsafeLocation(text), .busy(path: path), .inputOutput(text), .configuration(text),
      .presence(.userCancel), .unavailable(text), .invalidated(text), .foreignKey(text), .keyUsage(text),
      .hardware(text),
    ]
    + (Accessibility.allCases.map(Optional.some) + [nil]).flatMap { accessibility in
      [LockState.beforeFirstUnlock, .locked].map { .locked(accessibility, $0) }
    }

  /// The case's number. A new case does not compile until it stands here, and `samples` must have it then.
  private func number(of error: StoreError) -> Int {
    switch error {
    case .itemNotFound: 0
    case .duplicateItem: 1
    case .locked: 2
    case .missingEntitlement: 3
    case .invalidParameter: 4
    case .noSuchAttribute: 5
    case .unimplemented: 6
    case .passcodeNotSet: 7
    case .wrongPasscode: 8
    case .passcodeDelayed: 9
    case .passcodeRefused: 10
    case .rootKeyUnavailable: 11
    case .damaged: 12
    case .rolledBack: 13
    case .notAKeychain: 14
    case .newerFormat: 15
    case .diskFull: 16
    case .readOnly: 17
    case .unsafeLocation: 18
    case .busy: 19
    case .inputOutput: 20
    case .configuration: 21
    case .presence: 22
    case .unavailable: 23
    case .invalidated: 24
    case .foreignKey: 25
    case .keyUsage: 26
    case .hardware: 27
    }
  }

  @Test("Every case is among the samples of these tests") func completeness() {
    #expect(Set(Self.samples.map(number)) == Set(0...27))
  }

  @Test("No case holds bytes, so that no secret can appear in a description or a dump") func noBytes() {
    for error in Self.samples { #expect(!holdsBytes(error), "\(error)") }
    #expect(holdsBytes(AttributeValue.bytes([1, 2, 3])), "the check finds bytes where they are")
  }

  @Test("The text of the caller is the description, unless the case adds what happened") func callersText() {
    let verbatim: [StoreError] = [
      .invalidParameter(Self.text), .unimplemented(Self.text), .passcodeRefused(Self.text),
      .rootKeyUnavailable(Self.text), .unsafeLocation(Self.text), .inputOutput(Self.text), .configuration(Self.text),
      .unavailable(Self.text), .invalidated(Self.text), .foreignKey(Self.text), .keyUsage(Self.text),
      .hardware(Self.text),
    ]
    for error in verbatim { #expect(error.description == Self.text) }
    #expect(StoreError.damaged(Self.text).description == "the keychain was altered from outside: \(Self.text)")
    #expect(StoreError.presence(.userCancel).description == PresenceError.userCancel.description)
  }

  @Test("A description gives the next step") func nextStep() {
    let steps: [(StoreError, String)] = [
      (.duplicateItem, "update it, or delete it first"),
      (.missingEntitlement(group: "T.app"), "add it to keychain-access-groups"),
      (.missingEntitlement(group: nil), "add keychain-access-groups"),
      (.passcodeNotSet, "`latchkey keychain set-passcode`"),
      (.wrongPasscode(attemptsBeforeDelay: 3), "3 more before a delay"),
      (.wrongPasscode(attemptsBeforeDelay: 0), "the next attempt must wait"),
      (.passcodeDelayed(seconds: 60), "wait 60 seconds"),
      (.newerFormat(path: Self.path, found: 9, known: 4), "use a newer version"),
      (.diskFull(path: Self.path), "free some and try again"),
      (.readOnly(path: Self.path), "check its permissions and those of its folder"),
      (.busy(path: Self.path), "try again"),
    ]
    for (error, step) in steps { #expect(error.description.contains(step), "\(error)") }
  }

  @Test("A locked keychain names the item's accessibility; before the first unlock it names where the passcode goes")
  func locked() {
    for accessibility in Accessibility.allCases {
      let before = StoreError.locked(accessibility, .beforeFirstUnlock).description
      #expect(before.contains("accessible \(accessibility.commandName): give the passcode"))
      #expect(before.contains("LATCHKEY_PASSCODE_FILE"))
      let after = StoreError.locked(accessibility, .locked).description
      #expect(after.contains("accessible \(accessibility.commandName): unlock it"))
      #expect(!after.contains("LATCHKEY_PASSCODE_FILE"))
    }
    let hidden = StoreError.locked(nil, .beforeFirstUnlock).description
    #expect(hidden.contains("hidden") && hidden.contains("LATCHKEY_PASSCODE_FILE"))
    #expect(StoreError.locked(nil, .locked).description == "the keychain is locked: unlock it")
  }

  @Test("A description names the file, the group or the attribute that it is about") func names() {
    let aboutPath: [StoreError] = [
      .rolledBack(path: Self.path), .notAKeychain(path: Self.path), .diskFull(path: Self.path),
      .readOnly(path: Self.path), .busy(path: Self.path), .newerFormat(path: Self.path, found: 9, known: 4),
    ]
    for error in aboutPath { #expect(error.description.contains(Self.path), "\(error)") }
    let newer = StoreError.newerFormat(path: "p", found: 9, known: 4).description
    #expect(newer.contains("format 9") && newer.contains("up to 4"))
    #expect(StoreError.missingEntitlement(group: "T.app").description.contains("T.app"))
    #expect(StoreError.noSuchAttribute(.server).description.contains("srvr"))
  }

  @Test("A wait is rounded up, so that an attempt after it is not too early") func rounding() {
    for (seconds, text) in [(0.001, "wait 1 "), (1.0, "wait 1 "), (59.01, "wait 60 "), (3600, "wait 3600 ")] {
      #expect(StoreError.passcodeDelayed(seconds: seconds).description.contains(text), "\(seconds)")
    }
  }

  @Test("A wait that is no number of seconds is described, too", arguments: [Double.infinity, -.infinity, .nan, 1e300])
  func unusualWaits(_ seconds: Double) {
    #expect(StoreError.passcodeDelayed(seconds: seconds).description.contains("wait before the next attempt"))
  }

  @Test("Not found, locked, wrong passcode and damaged are described by different texts, as all cases are")
  func distinct() {
    // Cases whose whole text is the caller's, and a lock that names no accessibility, are distinguished by their case.
    let ownTexts = Self.samples.map(\.description).filter { $0 != Self.text }
    #expect(Set(ownTexts).count == ownTexts.count)
    #expect(Self.samples.allSatisfy { !$0.description.isEmpty })
  }

  @Test("Errors of one case with different values are not equal") func equality() {
    #expect(StoreError.wrongPasscode(attemptsBeforeDelay: 1) != .wrongPasscode(attemptsBeforeDelay: 2))
    #expect(StoreError.damaged("a") != .damaged("b"))
    #expect(StoreError.missingEntitlement(group: nil) != .missingEntitlement(group: ""))
    #expect(StoreError.locked(.always, .locked) != .locked(.always, .beforeFirstUnlock))
    #expect(StoreError.presence(.userCancel) != .presence(.appCancel))
    #expect(StoreError.invalidated("a") != .unavailable("a"))
  }
}
