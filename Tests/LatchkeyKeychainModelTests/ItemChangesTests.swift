import LatchkeyKeychainModel
import Testing

@Suite("ItemChanges") struct ItemChangesTests {
  @Test("Changes that say nothing change nothing") func defaults() {
    let changes = ItemChanges()
    #expect(changes.attributes.isEmpty)
    #expect(changes.accessGroup == nil)
    #expect(changes.isSynchronizable == nil)
    #expect(changes.accessibility == nil)
    #expect(changes.accessControl == nil)
    #expect(changes.data == nil)
  }

  @Test("Setting a part to nothing is no change that leaves it as it is") func emptyValues() {
    let changes = ItemChanges(
      attributes: [.label: .text("")], accessGroup: "", isSynchronizable: false, data: [])
    #expect(changes.attributes[.label] == .text(""))
    #expect(changes.accessGroup == .some(""))
    #expect(changes.isSynchronizable == .some(false))
    #expect(changes.data == .some([]))
  }
}
