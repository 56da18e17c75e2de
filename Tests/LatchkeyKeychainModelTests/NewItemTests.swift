import LatchkeyKeychainModel
import Testing

@Suite("NewItem") struct NewItemTests {
  @Test("An item that says nothing has no secret, no constraint, and is not synchronized", arguments: ItemClass.stored)
  func defaults(_ itemClass: ItemClass) {
    let item = NewItem(itemClass)
    #expect(item.itemClass == itemClass)
    #expect(item.data == nil)
    #expect(item.accessControl == nil && item.accessibility == nil)
    #expect(!item.isSynchronizable)
    #expect(item.attributes.isEmpty)
    #expect(item.accessGroup == nil)
    #expect(item.enclaveKey == nil)
  }

  @Test("An empty secret is a secret, and not the absence of one") func emptySecret() {
    #expect(NewItem(.genericPassword, data: []).data == .some([]))
    #expect(NewItem(.genericPassword, data: []).data != NewItem(.genericPassword).data)
  }

  @Test("Each part is the one that was given") func parts() {
    let control = AccessControl(protection: .whenUnlocked, flags: .userPresence)
    let item = NewItem(
      .internetPassword, attributes: [.server: .text("example.com")], accessGroup: "T.app", isSynchronizable: true,
      accessibility: .always, accessControl: control, data: [1, 2, 3])
    #expect(item.itemClass == .internetPassword)
    #expect(item.attributes == [.server: .text("example.com")])
    #expect(item.accessGroup == "T.app")
    #expect(item.isSynchronizable)
    #expect(item.accessibility == .always)
    #expect(item.accessControl == control)
    #expect(item.data == [1, 2, 3])
  }

  @Test("An accessibility does not become an access control, nor the other way around") func twoPlaces() {
    #expect(NewItem(.key, accessibility: .always).accessControl == nil)
    #expect(NewItem(.key, accessControl: AccessControl(protection: .always)).accessibility == nil)
  }

  @Test("A changed copy leaves the item as it was") func copies() {
    let item = NewItem(.genericPassword, attributes: [.account: .text("a")], data: [1, 2, 3])
    var copy = item
    copy.data?[0] = 9
    copy.attributes[.account] = nil
    #expect(item.data == [1, 2, 3])
    #expect(item.attributes == [.account: .text("a")])
  }
}
