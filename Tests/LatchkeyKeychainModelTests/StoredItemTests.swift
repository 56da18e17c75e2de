import LatchkeyKeychainModel
import Testing

@Suite("StoredItem") struct StoredItemTests {
  private let reference: PersistentReference

  init() throws { reference = try PersistentReference(itemClass: .certificate, uuid: Array(0..<16)) }

  private func item(_ control: AccessControl, data: [UInt8]?) -> StoredItem {
    StoredItem(
      reference: reference, attributes: [.label: .text("a")], accessGroup: "T.app", isSynchronizable: false,
      accessControl: control, data: data)
  }

  @Test("Its class is that of its reference") func itemClass() {
    for itemClass in ItemClass.allCases {
      var stored = item(AccessControl(protection: .always), data: nil)
      stored.reference = reference.asReference(to: itemClass)
      #expect(stored.itemClass == itemClass)
    }
  }

  @Test(
    "Its accessibility is the protection of its access control, also after a change", arguments: Accessibility.allCases)
  func accessibility(_ accessibility: Accessibility) {
    var stored = item(AccessControl(protection: accessibility, flags: .userPresence), data: nil)
    #expect(stored.accessibility == accessibility)
    stored.accessControl.protection = .always
    #expect(stored.accessibility == .always)
  }

  @Test("An item that has an empty secret differs from one without data, and neither has a key of the enclave")
  func data() {
    let control = AccessControl(protection: .always)
    #expect(item(control, data: nil).data == nil)
    #expect(item(control, data: []).data == .some([]))
    #expect(item(control, data: [1]).enclaveKey == nil)
  }
}
