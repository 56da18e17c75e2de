import LatchkeyTestSupport
import Foundation
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

/// What items are called, to somebody who has the key file and guesses.
@Suite("Guessing by tags") struct DatabaseTagTests {
  private static let passcode = DatabaseMatrixTests.passcode
  private static let everything: Set = ["account", "label", "primary key"]

  static func item(_ accessibility: Accessibility, group: String? = nil) -> NewItem {
    var item = NewItem.password("\(accessibility)")
    item.attributes[.label] = .text("label of \(accessibility)")
    item.accessGroup = group
    item.accessibility = accessibility
    return item
  }

  private static func isOpen(_ accessibility: Accessibility) -> Bool { accessibility.availability == .always }

  private func filled(_ store: KeychainDatabase) throws {
    for accessibility in Accessibility.allCases {
      if accessibility == .whenPasscodeSetThisDeviceOnly, try !store.status().hasPasscode { continue }
      let group = Self.isOpen(accessibility) ? "shared" : "mine"
      try store.add(Self.item(accessibility, group: group), as: me)
    }
  }

  private func expectOnlyAlways(_ folder: StoreFolder, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let guesser = try TagGuesser(folder)
    for accessibility in Accessibility.allCases {
      let group = Self.isOpen(accessibility) ? "shared" : "mine"
      let confirmed = try guesser.confirmed("\(accessibility)", group: group)
      #expect(
        confirmed == (Self.isOpen(accessibility) ? Self.everything : []), "\(accessibility)",
        sourceLocation: sourceLocation)
    }
    #expect(try guesser.confirms(group: "shared"), sourceLocation: sourceLocation)
    #expect(try !guesser.confirms(group: "mine"), sourceLocation: sourceLocation)
  }

  @Test("with a passcode the key file confirms no name but those of Always items") func withPasscode() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.setPasscode(Self.passcode, current: nil)
    try filled(store)
    try expectOnlyAlways(folder)
    store.close()
    try expectOnlyAlways(folder)
  }

  @Test("without one it confirms all, until a passcode is set, and again when it is removed") func withoutPasscode()
    throws
  {
    let folder = try StoreFolder()
    let store = try folder.open()
    try filled(store)
    #expect(try TagGuesser(folder).confirmed("whenUnlocked") == Self.everything)
    try store.setPasscode(Self.passcode, current: nil)
    try store.add(Self.item(.whenPasscodeSetThisDeviceOnly, group: "mine"), as: me)
    try expectOnlyAlways(folder)
    try store.removePasscode(current: Self.passcode)
    #expect(try TagGuesser(folder).confirmed("whenUnlocked") == Self.everything)
    #expect(try store.find(.password("whenUnlocked"), as: me).count == 1)
  }

  @Test("a change of the passcode and a rotation leave no tag of before", arguments: [true, false])
  func tagsAreRenewed(isRotation: Bool) throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.setPasscode(Self.passcode, current: nil)
    try filled(store)
    let before: [Data] = try folder.ask(
      """
      SELECT value FROM tag JOIN item ON item.id = tag.item WHERE pdmn NOT IN (3, 6) \
      UNION SELECT uniq FROM item WHERE pdmn NOT IN (3, 6) UNION SELECT agrp_tag FROM item WHERE pdmn NOT IN (3, 6)
      """)
    #expect(before.count > 15)
    if isRotation {
      try store.rotateKeys(passcode: Self.passcode)
    } else {
      try store.setPasscode(Array("another horse".utf8), current: Self.passcode)
    }
    let bytes = try TagGuesser(folder).bytes()
    #expect(before.allSatisfy { bytes.range(of: $0) == nil })
    try expectOnlyAlways(folder)
    for accessibility in Accessibility.allCases {
      #expect(try store.find(.password("\(accessibility)"), as: me).count == 1)
    }
    #expect(try store.verify().isClean)
  }

  @Test("an item that moves under the passcode takes its names along, and back") func moves() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.setPasscode(Self.passcode, current: nil)
    try store.add(Self.item(.always), as: me)
    let guesser = try TagGuesser(folder)
    #expect(try guesser.confirmed("always") == Self.everything)
    try store.update(.password("always"), with: ItemChanges(accessibility: .afterFirstUnlock), as: me)
    try store.erase(after: "it was moved")
    #expect(try guesser.confirmed("always") == [])
    #expect(try store.find(.password("always"), as: me).first?.accessibility == .afterFirstUnlock)
    #expect(try store.verify().isClean)
    try store.update(.password("always"), with: ItemChanges(accessibility: .alwaysThisDeviceOnly), as: me)
    try store.erase(after: "it was moved")
    #expect(try guesser.confirmed("always") == Self.everything)
    #expect(try store.find(.password("always"), as: me).first?.accessibility == .alwaysThisDeviceOnly)
    #expect(try store.verify().isClean)
    #expect(try store.delete(.password("always"), as: me) == 1)
    #expect(try store.verify().isClean)
  }

  @Test("Search terms leave no trace either") func searches() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.setPasscode(Self.passcode, current: nil)
    try filled(store)
    #expect(failure { () throws(StoreError) in try store.find(.password("nobody"), as: me) } == .itemNotFound)
    #expect(
      failure { () throws(StoreError) in try store.add(Self.item(.whenUnlocked, group: "mine"), as: me) }
        == .duplicateItem)
    try expectOnlyAlways(folder)
  }
}
