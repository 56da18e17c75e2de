import LatchkeyKeychainModel
import Testing

@Suite("ItemQuery") struct ItemQueryTests {
  @Test("A query that says nothing wants one item without its data, of those that are not synchronized")
  func defaults() {
    for itemClass in ItemClass.allCases {
      let query = ItemQuery(itemClass)
      #expect(query.itemClass == itemClass)
      #expect(query.limit == 1)
      #expect(!query.wantsData && !query.wantsEnclaveKeys)
      #expect(query.synchronizable == .no)
      #expect(!query.ignoresCase)
    }
  }

  @Test("A query that says nothing excludes no attribute, group, accessibility or item") func noConditions() {
    let query = ItemQuery(.genericPassword)
    #expect(query.attributes.isEmpty)
    #expect(query.accessGroup == nil)
    #expect(query.accessibility == nil)
    #expect(query.persistentReference == nil)
  }

  @Test("No limit, a limit of zero and the default are three different limits") func limits() {
    #expect(ItemQuery(.key, limit: nil).limit == nil)
    #expect(ItemQuery(.key, limit: 0).limit == 0)
    #expect(ItemQuery(.key, limit: .max).limit == .max)
    #expect(ItemQuery(.key).limit != nil)
  }

  @Test("An empty group and an empty attribute are conditions, and not the absence of one") func emptyConditions() {
    let query = ItemQuery(.key, attributes: [.label: .text("")], accessGroup: "")
    #expect(query.accessGroup == .some(""))
    #expect(query.attributes[.label] == .text(""))
    #expect(query.attributes[.applicationTag] == nil)
  }

  @Test("Each part is the one that was given") func parts() throws {
    let reference = try PersistentReference(itemClass: .key, uuid: Array(0..<16))
    let query = ItemQuery(
      .internetPassword, attributes: [.port: .number(443)], accessGroup: "T.app", synchronizable: .any,
      accessibility: .always, persistentReference: reference, ignoresCase: true, limit: 7, wantsData: true)
    #expect(query.itemClass == .internetPassword)
    #expect(query.attributes == [.port: .number(443)])
    #expect(query.accessGroup == "T.app")
    #expect(query.synchronizable == .any)
    #expect(query.accessibility == .always)
    #expect(query.persistentReference == reference)
    #expect(query.ignoresCase && query.wantsData)
    #expect(query.limit == 7)
  }

  @Test("A changed copy leaves the query as it was") func copies() {
    let query = ItemQuery(.key, attributes: [.label: .text("a")])
    var copy = query
    copy.attributes[.label] = .text("b")
    copy.limit = nil
    copy.consent.interaction = .refused
    #expect(query.attributes[.label] == .text("a"))
    #expect(query.limit == 1)
    #expect(query.consent.interaction == .allowed)
  }
}
