import LatchkeyTestSupport
import LatchkeyKeychainModel
import Synchronization
import Testing

@testable import LatchkeyKeychainStore

@Suite("Rules of a store") struct DatabaseRulesTests {
  // MARK: Primary keys

  /// An item of the class with a value for each attribute of its primary key.
  static func item(_ itemClass: ItemClass) -> NewItem {
    var item = NewItem(itemClass, data: [1])
    for (index, attribute) in AttributeSchema.primaryKey(of: itemClass).enumerated() {
      item.attributes[attribute] = value(attribute, in: itemClass, Int64(index) + 10)
    }
    return item
  }

  static func value(_ attribute: ItemAttribute, in itemClass: ItemClass, _ number: Int64) -> AttributeValue {
    switch AttributeSchema.kind(of: attribute, in: itemClass) {
    case .date: .date(Double(number))
    case .number: .number(number)
    default: .text("value \(number)")
    }
  }

  @Test("Each attribute of the primary key distinguishes items", arguments: ItemClass.stored)
  func eachAttributeOfThePrimaryKeyDistinguishesItems(_ itemClass: ItemClass) throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let item = Self.item(itemClass)
    try store.add(item, as: me)
    #expect(failure { () throws(StoreError) in try store.add(item, as: me) } == .duplicateItem)
    var count = 1
    for attribute in AttributeSchema.primaryKey(of: itemClass) {
      var other = item
      other.attributes[attribute] = Self.value(attribute, in: itemClass, 99)
      try store.add(other, as: me)
      other.attributes[attribute] = nil
      try store.add(other, as: me)
      // Absent and empty are the same.
      switch AttributeSchema.kind(of: attribute, in: itemClass) {
      case .blob: other.attributes[attribute] = .text("")
      case .number: other.attributes[attribute] = .number(0)
      default: break
      }
      #expect(failure { () throws(StoreError) in try store.add(other, as: me) } == .duplicateItem)
      count += 2
    }
    var other = item
    other.accessGroup = "shared"
    try store.add(other, as: me)
    other = item
    other.isSynchronizable = true
    try store.add(other, as: me)
    #expect(try store.find(.all(itemClass), as: me).count == count + 1)
    #expect(try store.verify().isClean)
  }

  @Test("No other attribute distinguishes items", arguments: ItemClass.stored) func noOtherAttributeDistinguishesItems(
    _ itemClass: ItemClass
  ) throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let item = Self.item(itemClass)
    try store.add(item, as: me)
    let primaryKey = AttributeSchema.primaryKey(of: itemClass)
    for attribute in [ItemAttribute.label, .alias, .generic, .comment, .isInvisible, .creationDate, .subject]
    where !primaryKey.contains(attribute) && AttributeSchema.kind(of: attribute, in: itemClass) != nil {
      var other = item
      other.attributes[attribute] = Self.value(attribute, in: itemClass, 99)
      other.data = [2]
      #expect(failure { () throws(StoreError) in try store.add(other, as: me) } == .duplicateItem)
    }
    var other = item
    other.accessibility = .always
    #expect(failure { () throws(StoreError) in try store.add(other, as: me) } == .duplicateItem)
  }

  @Test("A text and its bytes are the same key") func aTextAndItsBytesAreTheSameKey() throws {
    let store = try StoreFolder().open()
    try store.add(.password("anna"), as: me)
    var item = NewItem.password("anna")
    item.attributes[.account] = .bytes(Array("anna".utf8))
    #expect(failure { () throws(StoreError) in try store.add(item, as: me) } == .duplicateItem)
    var query = ItemQuery.password("anna")
    query.attributes[.account] = .bytes(Array("anna".utf8))
    #expect(try store.find(query, as: me).first?.attributes[.account] == .text("anna"))
  }

  @Test("An update to the primary key of another item changes nothing") func anUpdateIntoATakenKeyChangesNothing()
    throws
  {
    let store = try StoreFolder().open()
    for name in ["anna", "bert", "carl"] { try store.add(.password(name), as: me) }
    let change = ItemChanges(attributes: [.account: .text("anna")], data: [9])
    #expect(
      failure { () throws(StoreError) in try store.update(.password("bert"), with: change, as: me) } == .duplicateItem)
    // Two that would become one.
    let both = ItemQuery(.genericPassword, attributes: [.service: .text("service")], limit: nil)
    #expect(
      failure { () throws(StoreError) in
        try store.update(both, with: ItemChanges(attributes: [.account: .text("dora")]), as: me)
      } == .duplicateItem)
    #expect(
      try store.find(.all(), as: me).map { $0.attributes[.account] } == [.text("anna"), .text("bert"), .text("carl")])
    #expect(try store.find(.all(), as: me).allSatisfy { $0.data == Array("secret".utf8) })
    // Its own key is not taken.
    #expect(try store.update(.password("anna"), with: change, as: me) == 1)
    #expect(try store.verify().isClean)
  }

  @Test("An update changes all matches") func anUpdateChangesAllMatches() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    for name in ["anna", "bert"] { try store.add(.password(name), as: me) }
    try store.add(.password("carl", "other"), as: me)
    folder.now.withLock { $0 += 5 }
    let query = ItemQuery(.genericPassword, attributes: [.service: .text("service")])
    let change = ItemChanges(
      attributes: [.label: .text("new"), .modificationDate: .date(1), .creationDate: .date(2)])
    #expect(try store.update(query, with: change, as: me) == 2)
    let items = try store.find(.all(), as: me)
    #expect(items.map { $0.attributes[.label] } == [.text("new"), .text("new"), nil])
    #expect(items[0].attributes[.modificationDate] == .date(800_000_005))
    #expect(items[0].attributes[.creationDate] == .date(2))
    #expect(items[2].attributes[.modificationDate] == .date(800_000_000))
  }

  // MARK: Access groups

  @Test("Without groups every call is refused") func withoutGroupsEveryCallIsRefused() throws {
    let store = try StoreFolder().open()
    let nobody = Entitlements(accessGroups: [])
    let refused = StoreError.missingEntitlement(group: nil)
    #expect(failure { () throws(StoreError) in try store.add(.password("a"), as: nobody) } == refused)
    #expect(failure { () throws(StoreError) in try store.find(.password("a"), as: nobody) } == refused)
    #expect(
      failure { () throws(StoreError) in try store.update(.password("a"), with: ItemChanges(), as: nobody) } == refused)
    #expect(failure { () throws(StoreError) in try store.delete(.password("a"), as: nobody) } == refused)
  }

  @Test("A foreign group is refused when named and unseen when not")
  func aForeignGroupIsRefusedWhenNamedAndUnseenWhenNot() throws {
    let store = try StoreFolder().open()
    let other = Entitlements(accessGroups: ["theirs", "shared"])
    try store.add(.password("a"), as: other)
    var item = NewItem.password("b")
    item.accessGroup = "shared"
    try store.add(item, as: other)
    var query = ItemQuery.password("a")
    query.accessGroup = "theirs"
    let refused = StoreError.missingEntitlement(group: "theirs")
    #expect(failure { () throws(StoreError) in try store.find(query, as: me) } == refused)
    #expect(failure { () throws(StoreError) in try store.update(query, with: ItemChanges(), as: me) } == refused)
    #expect(failure { () throws(StoreError) in try store.delete(query, as: me) } == refused)
    #expect(
      failure { () throws(StoreError) in
        try store.update(.password("b"), with: ItemChanges(accessGroup: "theirs"), as: me)
      } == refused)
    item.accessGroup = "theirs"
    #expect(failure { () throws(StoreError) in try store.add(item, as: me) } == refused)
    query.accessGroup = nil
    #expect(failure { () throws(StoreError) in try store.find(query, as: me) } == .itemNotFound)
    #expect(failure { () throws(StoreError) in try store.update(query, with: ItemChanges(), as: me) } == .itemNotFound)
    #expect(failure { () throws(StoreError) in try store.delete(query, as: me) } == .itemNotFound)
    #expect(try store.find(.all(), as: me).map(\.accessGroup) == ["shared"])
    #expect(try store.find(.all(), as: Entitlements(accessGroups: ["*"])).map(\.accessGroup) == ["theirs", "shared"])
    // The same key in another group is another item; there it may move to a group that both have.
    try store.add(.password("a"), as: me)
    #expect(try store.update(.password("a"), with: ItemChanges(accessGroup: "shared"), as: me) == 1)
    #expect(try store.find(.password("a"), as: other).count == 1)
    #expect(try store.verify().isClean)
  }

  @Test("The group of tokens can be read and never written") func theGroupOfTokensCanBeReadAndNeverWritten() throws {
    let store = try StoreFolder().open()
    let entitled = Entitlements(accessGroups: ["mine", "com.apple.token"])
    let refused = StoreError.missingEntitlement(group: "com.apple.token")
    var item = NewItem.password("a")
    item.accessGroup = "com.apple.token"
    #expect(failure { () throws(StoreError) in try store.add(item, as: entitled) } == refused)
    var query = ItemQuery.password("a")
    query.accessGroup = "com.apple.token"
    #expect(failure { () throws(StoreError) in try store.find(query, as: entitled) } == .itemNotFound)
    #expect(failure { () throws(StoreError) in try store.find(query, as: me) } == refused)
    #expect(failure { () throws(StoreError) in try store.delete(query, as: entitled) } == refused)
    #expect(
      failure { () throws(StoreError) in try store.update(query, with: ItemChanges(), as: entitled) } == refused)
    try store.add(.password("a"), as: entitled)
    #expect(
      failure { () throws(StoreError) in
        try store.update(.password("a"), with: ItemChanges(accessGroup: "com.apple.token"), as: entitled)
      } == refused)
  }

  // MARK: Synchronizable

  @Test("Synchronizable items are found only on request") func synchronizableItemsAreFoundOnlyWhenAskedFor() throws {
    let store = try StoreFolder().open()
    try store.add(.password("a"), as: me)
    var item = NewItem.password("a")
    item.isSynchronizable = true
    let added = try store.add(item, as: me)
    func kinds(_ asked: ItemQuery.Synchronizable, service: String?) throws -> [Bool] {
      var query = ItemQuery.password("a", service)
      query.synchronizable = asked
      query.limit = nil
      return try store.find(query, as: me).map(\.isSynchronizable)
    }
    for service in ["service", nil] {
      #expect(try kinds(.no, service: service) == [false])
      #expect(try kinds(.yes, service: service) == [true])
      #expect(try kinds(.any, service: service) == [false, true])
    }
    var query = ItemQuery(.genericPassword)
    query.persistentReference = added.reference
    #expect(try store.find(query, as: me).count == 1)
  }

  /// Apple's documentation forbids it and Apple's keychain takes it; apps rely on the latter.
  @Test("An item of this device only may be synchronizable") func whatStaysOnThisDeviceMayBeSynchronizable() throws {
    let store = try StoreFolder().open()
    for accessibility in [Accessibility.whenUnlockedThisDeviceOnly, .alwaysThisDeviceOnly] {
      var item = NewItem.password("a \(accessibility)")
      item.isSynchronizable = true
      item.accessibility = accessibility
      #expect(try store.add(item, as: me).isSynchronizable)
    }
    try store.add(.password("b"), as: me)
    let change = ItemChanges(isSynchronizable: true, accessibility: .afterFirstUnlockThisDeviceOnly)
    #expect(try store.update(.password("b"), with: change, as: me) == 1)
    #expect(failure { () throws(StoreError) in try store.find(.password("b"), as: me) } == .itemNotFound)
  }

  // MARK: Access control

  @Test("Constraints that cannot be met are reported, and with synchronizable they are invalid")
  func constraintsThatNothingHereCanMeetAreReportedAndWithSynchronizableInvalid() throws {
    let store = try StoreFolder().open()
    for flags in [
      AccessControl.Flags.userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion,
      .applicationPassword, [.devicePasscode, .biometryAny, .or],
    ] {
      var item = NewItem.password("a")
      item.accessControl = AccessControl(protection: .whenUnlocked, flags: flags)
      switch failure({ () throws(StoreError) in try store.add(item, as: me) }) {
      case .unavailable? where !flags.isDisjoint(with: [.biometryAny, .biometryCurrentSet]): break
      case .presence(.companionNotAvailable)? where flags == .companion: break
      case .passcodeNotSet? where !flags.isDisjoint(with: [.userPresence, .devicePasscode]): break
      case .presence(.credentialMissing)? where flags == .applicationPassword: break
      case let other: Issue.record("\(flags.rawValue): \(String(describing: other))")
      }
      item.isSynchronizable = true
      #expect(failure { () throws(StoreError) in try store.add(item, as: me) }?.isInvalid == true)
    }
    var item = NewItem.password("a")
    item.accessControl = AccessControl(protection: .whenUnlocked, flags: [.or, .and])
    #expect(failure { () throws(StoreError) in try store.add(item, as: me) }?.isInvalid == true)
    #expect(failure { () throws(StoreError) in try store.find(.all(), as: me) } == .itemNotFound)
  }

  @Test("An access control without constraints is stored") func accessControlWithoutConstraintsIsKept() throws {
    let store = try StoreFolder().open()
    var item = NewItem.password("a")
    item.accessControl = AccessControl(protection: .afterFirstUnlock, flags: .privateKeyUsage)
    item.accessibility = .afterFirstUnlock
    try store.add(item, as: me)
    #expect(try store.find(.password("a"), as: me).first?.accessControl == item.accessControl)
    item.accessibility = .whenUnlocked
    #expect(failure { () throws(StoreError) in try store.add(item, as: me) }?.isInvalid == true)
    let change = ItemChanges(accessibility: .always, accessControl: AccessControl(protection: .whenUnlocked))
    #expect(
      failure { () throws(StoreError) in try store.update(.password("a"), with: change, as: me) }?.isInvalid == true)
    try store.update(.password("a"), with: ItemChanges(accessibility: .always), as: me)
    #expect(try store.find(.password("a"), as: me).first?.accessControl == AccessControl(protection: .always))
  }

  // MARK: Attributes

  @Test("Attributes of other classes and kinds are refused") func attributesOfOtherClassesAndKindsAreRefused() throws {
    let store = try StoreFolder().open()
    var item = NewItem.password("a")
    item.attributes[.applicationTag] = .text("tag")
    let refused = StoreError.noSuchAttribute(.applicationTag)
    #expect(failure { () throws(StoreError) in try store.add(item, as: me) } == refused)
    let query = ItemQuery(.genericPassword, attributes: item.attributes)
    #expect(failure { () throws(StoreError) in try store.find(query, as: me) } == refused)
    #expect(failure { () throws(StoreError) in try store.delete(query, as: me) } == refused)
    #expect(
      failure { () throws(StoreError) in
        try store.update(.password("a"), with: ItemChanges(attributes: [.applicationTag: .text("")]), as: me)
      } == refused)
    for (attribute, value) in [
      (ItemAttribute.account, AttributeValue.date(1)), (.creator, .bytes([1])), (.creator, .date(1)),
      (.creationDate, .number(1)), (.creationDate, .date(.nan)), (.creationDate, .date(.infinity)),
    ] {
      item.attributes = [attribute: value]
      #expect(failure { () throws(StoreError) in try store.add(item, as: me) }?.isInvalid == true)
    }
    #expect(failure { () throws(StoreError) in try store.add(NewItem(.identity), as: me) }?.isInvalid == true)
    #expect(failure { () throws(StoreError) in try store.find(ItemQuery(.identity), as: me) }?.isInvalid == true)
  }

  @Test("Every kind of value comes back as it was given") func everyKindOfValueComesBackAsItWasGiven() throws {
    let folder = try StoreFolder()
    var store = try folder.open()
    let attributes: [ItemAttribute: AttributeValue] = [
      .account: .bytes([0, 255, 7]), .service: .text("Grüße 🔑"), .generic: .number(-5), .label: .text(""),
      .creator: .number(.min), .type: .text("http"), .creationDate: .date(-1.5), .isInvisible: .number(1),
      .comment: .text(String(repeating: "x", count: 10_000)),
    ]
    try store.add(NewItem(.genericPassword, attributes: attributes, data: nil), as: me)
    try store.add(NewItem(.genericPassword, attributes: [.account: .text("empty")], data: []), as: me)
    store.close()
    store = try folder.open()
    var found = try #require(try store.find(.all(), as: me).first)
    found.attributes[.modificationDate] = nil
    #expect(found.attributes == attributes)
    #expect(found.data == nil)
    #expect(try store.find(.all(), as: me).last?.data == [])
    for (attribute, value) in attributes {
      let query = ItemQuery(.genericPassword, attributes: [attribute: value], limit: nil)
      #expect(try store.find(query, as: me).first?.reference == found.reference, "\(attribute)")
    }
  }

  @Test("The size of an item is bounded") func anItemHasABound() throws {
    let store = try StoreFolder().open()
    var item = NewItem.password("a")
    item.data = [UInt8](repeating: 1, count: 1 << 20)
    try store.add(item, as: me)
    #expect(try store.find(.password("a"), as: me).first?.data == item.data)
    item = .password("b")
    item.data = [UInt8](repeating: 1, count: ItemLimits.itemSize)
    #expect(failure { () throws(StoreError) in try store.add(item, as: me) }?.isInvalid == true)
    #expect(
      failure { () throws(StoreError) in
        try store.update(.password("a"), with: ItemChanges(data: item.data), as: me)
      }?.isInvalid == true)
    #expect(
      failure { () throws(StoreError) in
        try store.add(.password("c"), as: Entitlements(accessGroups: [String(repeating: "g", count: 5000)]))
      }?.isInvalid == true)
  }
}
