import LatchkeyKeychainModel
import Testing

@Suite("ItemClass") struct ItemClassTests {
  @Test("The classes have the values of Apple's kSecClass strings") func codes() {
    #expect(ItemClass.allCases.map(\.rawValue) == ["genp", "inet", "cert", "keys", "idnt"])
  }

  @Test("An identity is no item of its own") func stored() {
    #expect(Set(ItemClass.allCases).subtracting(ItemClass.stored) == [.identity])
  }

  @Test(
    "A text that is no value of kSecClass names no class",
    arguments: ["", "gen", "genp ", "GENP", "genp\0", "key", "keyz", "identity", "clas"])
  func unknownClasses(_ text: String) {
    #expect(ItemClass(rawValue: text) == nil)
  }
}
