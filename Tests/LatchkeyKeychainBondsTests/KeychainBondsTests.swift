import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import Security
import Testing

@testable import CoreBluetooth
@testable import LatchkeyKeychainBonds

@Suite("The choice of the keychain for bonds", .temporaryKeychain) struct KeychainBondsTests {
  @Test("is the file until it is made, and holds for stores that are made from then on") func choice() {
    let stores = BondStores()
    BondStores.$current.withValue(stores) {
      let before = stores.store(local: .staticRandom(1))
      #expect(before is BondFileStore)
      #expect(KeychainBonds.use() == errSecSuccess)
      #expect((stores.store(local: .staticRandom(1)) as? KeychainBondStore)?.local == .staticRandom(1))
      #expect(before is BondFileStore)
      stores.use(nil)
      #expect(stores.store(local: .staticRandom(1)) is BondFileStore)
    }
  }

  @Test("says what the keychain says, and is made all the same", .temporaryKeychain(accessGroups: ["one"]))
  func statuses() {
    let stores = BondStores()
    BondStores.$current.withValue(stores) {
      #expect(KeychainBonds.use(accessGroup: "two") == errSecMissingEntitlement)
      #expect(stores.store(local: .staticRandom(1)) is KeychainBondStore)
      #expect(KeychainBonds.use(accessGroup: "one") == errSecSuccess)
    }
  }

  @Test("is what a manager with a real controller gets") func controller() throws {
    let path = "unix-client:/nonexistent/\(UUID().uuidString)"
    let specification = try ControllerSpecification(path)
    defer { RadioRegistry.shared.remove(specification) }
    BondStores.$current.withValue(BondStores()) {
      #expect(KeychainBonds.use() == errSecSuccess)
      _ = Controller.forManager(.central, options: [CBManagerOptionControllerKey: path])
    }
    // The host's identity was drawn, and is there for the next process.
    #expect(RawItems.all(BondItems.keyService).count == 1)
  }

  @Test("does not concern a virtual radio") func virtual() throws {
    let name = "virtual:\(UUID().uuidString)"
    let specification = try ControllerSpecification(name)
    defer { RadioRegistry.shared.remove(specification) }
    BondStores.$current.withValue(BondStores()) {
      #expect(KeychainBonds.use() == errSecSuccess)
      _ = Controller.forManager(.central, options: [CBManagerOptionControllerKey: name])
    }
    #expect(RawItems.all(BondItems.keyService).isEmpty)
  }
}
