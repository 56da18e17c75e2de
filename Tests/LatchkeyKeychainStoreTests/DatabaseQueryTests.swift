import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

@Suite("Queries") struct DatabaseQueryTests {
  static func store() throws -> KeychainDatabase {
    let store = try StoreFolder().open()
    for (name, service, label) in [
      ("anna", "mail", "Straße"), ("bert", "mail", "STRASSE"), ("anna", "web", "strasse"), ("carl", "web", "other"),
    ] {
      var item = NewItem.password(name, service)
      item.attributes[.label] = .text(label)
      item.attributes[.creator] = .number(name == "anna" ? 1 : 2)
      try store.add(item, as: me)
    }
    return store
  }

  static func names(_ store: KeychainDatabase, _ query: ItemQuery) throws -> [String] {
    do throws(StoreError) {
      return try store.find(query, as: me).map { item in
        guard case .text(let account)? = item.attributes[.account], case .text(let service)? = item.attributes[.service]
        else { return "?" }
        return "\(account) \(service)"
      }
    } catch {
      if error == .itemNotFound { return [] }
      throw error
    }
  }

  @Test("Items are returned in the order in which they were added, up to the limit")
  func itemsComeInTheOrderOfTheirAddingAndNoMoreThanAskedFor() throws {
    let store = try Self.store()
    var query = ItemQuery(.genericPassword, limit: nil)
    #expect(try Self.names(store, query) == ["anna mail", "bert mail", "anna web", "carl web"])
    query.limit = 3
    #expect(try Self.names(store, query) == ["anna mail", "bert mail", "anna web"])
    query.attributes = [.account: .text("anna")]
    #expect(try Self.names(store, query) == ["anna mail", "anna web"])
    query.limit = 1
    #expect(try Self.names(store, query) == ["anna mail"])
    query.limit = 0
    #expect(throws: StoreError.self) { try store.find(query, as: me) }
  }

  @Test(
    "Every attribute must be equal",
    arguments: [
      ([ItemAttribute.account: AttributeValue.text("anna"), .label: .text("strasse")], ["anna web"]),
      ([.label: .text("other"), .creator: .number(2)], ["carl web"]),
      ([.label: .text("other"), .creator: .number(1)], []),
      ([.creator: .number(1)], ["anna mail", "anna web"]),
      ([.creator: .number(0)], []),
      ([.generic: .text("")], ["anna mail", "bert mail", "anna web", "carl web"]),
      ([.label: .text("")], []),
      ([.creationDate: .date(800_000_000)], ["anna mail", "bert mail", "anna web", "carl web"]),
      ([.creationDate: .date(800_000_001)], []),
      ([.account: .text("anna"), .service: .text("web"), .label: .text("strasse")], ["anna web"]),
      ([.account: .text("anna"), .service: .text("web"), .label: .text("other")], []),
      ([.account: .text("anna"), .service: .text("web"), .creator: .number(2)], []),
      ([.account: .text("Anna")], []),
      ([.account: .number(1)], []),
    ])
  func everyAttributeMustBeEqual(_ attributes: [ItemAttribute: AttributeValue], _ expected: [String]) throws {
    let query = ItemQuery(.genericPassword, attributes: attributes, limit: nil)
    #expect(try Self.names(try Self.store(), query) == expected)
  }

  @Test("A search that ignores case folds texts") func withoutRegardToCaseTextsAreFolded() throws {
    let store = try Self.store()
    var query = ItemQuery(
      .genericPassword, attributes: [.label: .text("STRASSE")], ignoresCase: true, limit: nil)
    #expect(try Self.names(store, query) == ["anna mail", "bert mail", "anna web"])
    query.attributes[.service] = .text("MAIL")
    #expect(try Self.names(store, query) == ["anna mail", "bert mail"])
    query.attributes[.account] = .text("ANNA")
    #expect(try Self.names(store, query) == ["anna mail"])
    query.attributes[.account] = .text("AN")
    #expect(try Self.names(store, query) == [])
  }

  @Test("The accessibility is a condition") func theAccessibilityIsACondition() throws {
    let store = try Self.store()
    var query = ItemQuery(.genericPassword, accessibility: .always, limit: nil)
    #expect(try Self.names(store, query) == [])
    query.accessibility = .whenUnlocked
    #expect(try Self.names(store, query).count == 4)
  }

  @Test("A reference names one item until it is deleted") func aReferenceNamesOneItemUntilItIsDeleted() throws {
    let store = try StoreFolder().open()
    let one = try store.add(.password("a"), as: me)
    let two = try store.add(.password("b"), as: me)
    #expect(one.reference != two.reference)
    func query(_ reference: PersistentReference) -> ItemQuery {
      ItemQuery(.genericPassword, persistentReference: reference, wantsData: true)
    }
    #expect(
      try store.update(
        query(one.reference), with: ItemChanges(attributes: [.account: .text("c")], data: [3]), as: me) == 1)
    #expect(try store.find(query(one.reference), as: me).first?.data == [3])
    #expect(try store.find(query(two.reference), as: me).first?.data == Array("secret".utf8))
    #expect(try store.delete(query(one.reference), as: me) == 1)
    #expect(failure { () throws(StoreError) in try store.find(query(one.reference), as: me) } == .itemNotFound)
    #expect(
      failure { () throws(StoreError) in
        try store.find(query(two.reference), as: Entitlements(accessGroups: ["theirs"]))
      } == .itemNotFound)
    var other = query(two.reference)
    other.itemClass = .certificate
    #expect(failure { () throws(StoreError) in try store.find(other, as: me) }?.isInvalid == true)
  }

  @Test("A search for one finds the first readable item, and a search for all fails on a locked one")
  func ofLockedItemsTheFirstReadableOneIsFoundAndAllAreNot() throws {
    let store = try StoreFolder().open()
    try store.setPasscode(DatabaseMatrixTests.passcode, current: nil)
    for (name, accessibility) in [("a", Accessibility.always), ("b", .whenUnlocked), ("c", .always)] {
      var item = NewItem.password(name)
      item.accessibility = accessibility
      try store.add(item, as: me)
    }
    store.lock()
    var query = ItemQuery(.genericPassword, attributes: [.service: .text("service")])
    #expect(try Self.names(store, query) == ["a service"])
    query.limit = nil
    #expect(failure { () throws(StoreError) in try store.find(query, as: me) } == .locked(.whenUnlocked, .locked))
    // That the locked one does not match is told without its keys; what cannot be told is locked, not deleted.
    query.attributes[.account] = .text("c")
    #expect(try Self.names(store, query) == ["c service"])
    let dated = ItemQuery(.genericPassword, attributes: [.creationDate: .date(1)])
    #expect(failure { () throws(StoreError) in try store.delete(dated, as: me) } == .locked(.whenUnlocked, .locked))
    #expect(try store.delete(ItemQuery(.genericPassword, attributes: [.generic: .text("")]), as: me) == 3)
  }

  @Test("Case folding is full folding") func foldingIsFull() {
    for (a, b) in [("Straße", "STRASSE"), ("ΣΑΣ", "σας"), ("ﬃ", "FFI"), ("ŉ", "ʼN"), ("Ǆ", "ǆ"), ("É", "é")] {
      #expect(CaseFolding.fold(a) == CaseFolding.fold(b), "\(a) \(b)")
    }
    #expect(CaseFolding.fold("e") != CaseFolding.fold("é"))
  }
}
