import LatchkeyTestSupport
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

/// Classes × accessibilities × lock states × operations.
@Suite("Accessibility and lock") struct DatabaseMatrixTests {
  static let passcode = Array("correct horse".utf8)

  struct Cell: CustomTestStringConvertible, Sendable {
    let itemClass: ItemClass
    let accessibility: Accessibility
    let state: LockState
    var testDescription: String { "\(itemClass) \(accessibility) \(state)" }
  }

  static let cells: [Cell] = ItemClass.stored.flatMap { itemClass in
    Accessibility.allCases.flatMap { accessibility in
      [LockState.beforeFirstUnlock, .locked, .unlocked].map {
        Cell(itemClass: itemClass, accessibility: accessibility, state: $0)
      }
    }
  }

  /// An item of the class and its name.
  static func item(_ itemClass: ItemClass, _ name: String, _ accessibility: Accessibility) -> NewItem {
    NewItem(
      itemClass, attributes: [distinguishing(itemClass): .text(name), .label: .text("label of \(name)")],
      accessibility: accessibility, data: Array("data of \(name)".utf8))
  }

  static func distinguishing(_ itemClass: ItemClass) -> ItemAttribute {
    switch itemClass {
    case .genericPassword: .account
    case .internetPassword: .server
    case .certificate: .serialNumber
    default: .applicationLabel
    }
  }

  static func query(_ itemClass: ItemClass, _ name: String) -> ItemQuery {
    ItemQuery(itemClass, attributes: [distinguishing(itemClass): .text(name)], wantsData: true)
  }

  @Test("An item is there exactly when its keys are", arguments: cells) func anItemIsThereExactlyWhenItsKeysAre(
    _ cell: Cell
  ) throws {
    let folder = try StoreFolder()
    var store = try folder.open()
    try store.setPasscode(Self.passcode, current: nil)
    for name in ["found", "updated", "deleted"] {
      try store.add(Self.item(cell.itemClass, name, cell.accessibility), as: me)
    }
    switch cell.state {
    case .unlocked: break
    case .locked: store.lock()
    case .beforeFirstUnlock:
      store.close()
      store = try folder.open()
    }
    #expect(store.lockState == cell.state)
    let locked: StoreError? =
      cell.state.permits(cell.accessibility) ? nil : .locked(cell.accessibility, cell.state)

    #expect(
      failure { () throws(StoreError) in
        try store.add(Self.item(cell.itemClass, "added", cell.accessibility), as: me)
      } == locked)
    // Locked is reported before duplicate.
    #expect(
      failure { () throws(StoreError) in
        try store.add(Self.item(cell.itemClass, "found", cell.accessibility), as: me)
      } == locked ?? .duplicateItem)
    // Before the first unlock nobody can tell which of the passcode's items these are, nor whether there are any.
    let unknown: StoreError? =
      cell.state == .beforeFirstUnlock && locked != nil ? .locked(nil, .beforeFirstUnlock) : nil
    let unfound = unknown ?? locked
    #expect(failure { () throws(StoreError) in try store.find(Self.query(cell.itemClass, "found"), as: me) } == unfound)
    var attributesAlone = Self.query(cell.itemClass, "found")
    attributesAlone.wantsData = false
    #expect(failure { () throws(StoreError) in try store.find(attributesAlone, as: me) } == unfound)
    #expect(
      failure { () throws(StoreError) in
        try store.update(Self.query(cell.itemClass, "updated"), with: ItemChanges(data: [1]), as: me)
      } == unfound)
    #expect(
      failure { () throws(StoreError) in try store.delete(Self.query(cell.itemClass, "deleted"), as: me) } == unknown)
    #expect(
      failure { () throws(StoreError) in try store.find(Self.query(cell.itemClass, "nothing"), as: me) }
        == unknown ?? .itemNotFound)
    #expect(
      failure { () throws(StoreError) in try store.delete(Self.query(cell.itemClass, "nothing"), as: me) }
        == unknown ?? .itemNotFound)

    try store.unlock(passcode: Self.passcode)
    let found = try store.find(Self.query(cell.itemClass, "found"), as: me)
    #expect(found.map(\.data) == [Array("data of found".utf8)])
    #expect(found.first?.accessibility == cell.accessibility)
    let updated = try store.find(Self.query(cell.itemClass, "updated"), as: me)
    #expect(updated.first?.data == (locked == nil ? [1] : Array("data of updated".utf8)))
    if unknown != nil { #expect(try store.delete(Self.query(cell.itemClass, "deleted"), as: me) == 1) }
    #expect(
      failure { () throws(StoreError) in try store.find(Self.query(cell.itemClass, "deleted"), as: me) }
        == .itemNotFound)
    #expect(try store.verify().isClean)
  }

  @Test("Without a passcode an item that requires one is refused") func withoutAPasscodeAnItemThatWantsOneIsRefused()
    throws
  {
    let folder = try StoreFolder()
    let store = try folder.open()
    for itemClass in ItemClass.stored {
      #expect(
        failure { () throws(StoreError) in
          try store.add(Self.item(itemClass, "a", .whenPasscodeSetThisDeviceOnly), as: me)
        } == .passcodeNotSet)
    }
  }

  @Test("Removing the passcode deletes the items that require one") func removingThePasscodeTakesTheItemsThatWantedOne()
    throws
  {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.setPasscode(Self.passcode, current: nil)
    for itemClass in ItemClass.stored {
      try store.add(Self.item(itemClass, "gone", .whenPasscodeSetThisDeviceOnly), as: me)
      try store.add(Self.item(itemClass, "stays", .whenUnlocked), as: me)
    }
    try store.removePasscode(current: Self.passcode)
    for itemClass in ItemClass.stored {
      #expect(
        failure { () throws(StoreError) in try store.find(Self.query(itemClass, "gone"), as: me) } == .itemNotFound)
      #expect(try store.find(Self.query(itemClass, "stays"), as: me).count == 1)
    }
    #expect(try folder.ask("SELECT count(*) FROM item") == [4])
    #expect(try store.verify().isClean)
    // A passcode set again brings other keys, and no item back.
    try store.setPasscode(Self.passcode, current: nil)
    try store.add(Self.item(.key, "gone", .whenPasscodeSetThisDeviceOnly), as: me)
    #expect(try store.find(Self.query(.key, "gone"), as: me).count == 1)
  }

  @Test("Moving the accessibility seals the item under the other keys")
  func movingTheAccessibilitySealsTheItemUnderTheOtherKeys() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.setPasscode(Self.passcode, current: nil)
    for accessibility in Accessibility.allCases {
      try store.add(Self.item(.genericPassword, "\(accessibility)", .always), as: me)
      try store.update(
        Self.query(.genericPassword, "\(accessibility)"), with: ItemChanges(accessibility: accessibility), as: me)
    }
    store.lock()
    for accessibility in Accessibility.allCases {
      let query = Self.query(.genericPassword, "\(accessibility)")
      if accessibility.availability == .whileUnlocked {
        #expect(
          failure { () throws(StoreError) in try store.find(query, as: me) } == .locked(accessibility, .locked))
      } else {
        let item = try #require(try store.find(query, as: me).first)
        #expect(item.accessibility == accessibility)
        #expect(item.data == Array("data of \(accessibility)".utf8))
      }
    }
  }

  @Test("An item cannot move to keys that are not there") func anItemCannotMoveToKeysThatAreNotThere() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.add(Self.item(.genericPassword, "a", .always), as: me)
    let query = Self.query(.genericPassword, "a")
    #expect(
      failure { () throws(StoreError) in
        try store.update(query, with: ItemChanges(accessibility: .whenPasscodeSetThisDeviceOnly), as: me)
      } == .passcodeNotSet)
    try store.setPasscode(Self.passcode, current: nil)
    store.lock()
    #expect(
      failure { () throws(StoreError) in
        try store.update(query, with: ItemChanges(accessibility: .whenUnlocked), as: me)
      } == .locked(.whenUnlocked, .locked))
    #expect(try store.find(query, as: me).first?.accessibility == .always)
  }

  @Test("Another process's passcode is in force here too") func anotherProcessesPasscodeIsInForceHereToo() throws {
    let folder = try StoreFolder()
    let one = try folder.open()
    let two = try folder.open()
    try one.add(Self.item(.genericPassword, "a", .whenUnlocked), as: me)
    try one.setPasscode(Self.passcode, current: nil)
    #expect(try two.status().hasPasscode)
    #expect(two.lockState == .beforeFirstUnlock)
    #expect(one.lockState == .unlocked)
    try two.unlock(passcode: Self.passcode)
    try two.add(Self.item(.genericPassword, "b", .whenPasscodeSetThisDeviceOnly), as: me)
    #expect(try one.find(Self.query(.genericPassword, "b"), as: me).count == 1)
    try one.removePasscode(current: Self.passcode)
    #expect(
      failure { () throws(StoreError) in
        try two.add(Self.item(.genericPassword, "c", .whenPasscodeSetThisDeviceOnly), as: me)
      } == .passcodeNotSet)
    #expect(
      failure { () throws(StoreError) in try two.find(Self.query(.genericPassword, "b"), as: me) } == .itemNotFound)
  }
}
