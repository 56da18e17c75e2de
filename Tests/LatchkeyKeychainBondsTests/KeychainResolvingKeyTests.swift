import Dispatch
import Foundation
import LatchkeyBluetoothHost
import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import Security
import Synchronization
import Testing

@testable import LatchkeyKeychainBonds

@Suite("A host's key for private addresses in the keychain", .temporaryKeychain) struct KeychainResolvingKeyTests {
  private let reports = Reports()

  private func key(_ local: UInt64 = 1, drawn: UInt8) throws -> SecurityKey? {
    let store = KeychainBondStore(local: .staticRandom(local)) { [reports] in reports.add($0) }
    return try store.resolvingKey { SecurityKey(Array(repeating: drawn, count: 16)) }
  }

  private let account = "C0:00:00:00:00:01 random"

  @Test("is drawn once for each own address") func drawnOnce() throws {
    #expect(try key(drawn: 1) == SampleBonds.key(1))
    #expect(try key(7, drawn: 2) == SampleBonds.key(2))
    #expect(try key(drawn: 3) == SampleBonds.key(1))
    #expect(try key(7, drawn: 3) == SampleBonds.key(2))
    let store = KeychainBondStore(local: .staticRandom(1))
    #expect(try store.resolvingKey { nil } == SampleBonds.key(1))
    #expect(try KeychainBondStore(local: .staticRandom(8)).resolvingKey { nil } == nil)
    #expect(RawItems.all(BondItems.keyService).count == 2)
    let item = try #require(RawItems.all(BondItems.keyService).first { $0[kSecAttrAccount] as? String == account })
    #expect(item[kSecAttrAccessible] as? String == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String)
    #expect(try store.load() == [])
  }

  @Test("is the same for all that draw at the same time") func sameForAll() throws {
    let keychain = try #require(TemporaryKeychain.current)
    let keys = Mutex<[SecurityKey?]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      let found = keychain.use { try? key(drawn: UInt8(index + 1)) }
      keys.withLock { $0.append(found) }
    }
    let found = keys.withLock { $0 }
    #expect(found.count == 8)
    #expect(found.allSatisfy { $0 != nil && $0 == found[0] })
  }

  @Test("is replaced if it is damaged, or another host's, which is said", arguments: [0, 30, -1, -2, -3, -4])
  func damaged(_ change: Int) throws {
    _ = try key(drawn: 1)
    _ = try key(7, drawn: 2)
    var data = try RawItems.data(account, BondItems.keyService)
    switch change {
    case -1: data[20] ^= 1
    case -2: data = try RawItems.data("C0:00:00:00:00:07 random", BondItems.keyService)
    case -3: data = Data(StoredResolvingKeys.encode([]))
    case -4:
      let entries = try [1, 7].map { PairingIdentity(address: .staticRandom($0), resolvingKey: try SampleBonds.key(9)) }
      data = Data(StoredResolvingKeys.encode(entries))
    default: data = data.prefix(change)
    }
    RawItems.set([kSecValueData: data], account, BondItems.keyService)
    #expect(try key(drawn: 5) == SampleBonds.key(5))
    #expect(try key(drawn: 6) == SampleBonds.key(5))
    #expect(try key(7, drawn: 6) == SampleBonds.key(2))
    #expect(reports.all.count == 1)
    #expect(reports.all.first?.contains("\"\(account)\" is damaged (") == true)
  }

  @Test("is not replaced where a newer version of this program stored it") func newerVersion() throws {
    _ = try key(drawn: 1)
    var content = [UInt8](try RawItems.data(account, BondItems.keyService).dropLast(32))
    content[4] = 200
    let data = Data(content + StoredFrame.digest(of: content))
    RawItems.set([kSecValueData: data], account, BondItems.keyService)
    #expect(throws: KeychainBondError.self) { try key(drawn: 5) }
    #expect(try RawItems.data(account, BondItems.keyService) == data)
  }

  @Test("is not replaced where none can be drawn") func notDrawn() throws {
    _ = try key(drawn: 1)
    RawItems.set([kSecValueData: Data([1])], account, BondItems.keyService)
    #expect(try KeychainBondStore(local: .staticRandom(1)).resolvingKey { nil } == nil)
    #expect(try RawItems.data(account, BondItems.keyService) == Data([1]))
  }
}
