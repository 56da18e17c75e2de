import LatchkeyKeychainModel
import Testing

@Suite("ItemStore") struct ItemStoreTests {
  @Test("A store that says nothing about presence and an enclave has neither") func defaults() {
    let store: any ItemStore = EmptyStore()
    #expect(store.presence == nil)
    #expect(store.enclave == nil)
  }
}
