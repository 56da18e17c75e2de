import Foundation
import LatchkeyBluetoothHost
import Security
import Synchronization
import Testing

@testable import LatchkeyKeychainBonds

/// Bonds to store, and the items that they become.
enum SampleBonds {
  static func key(_ byte: UInt8) throws -> SecurityKey { try #require(SecurityKey(Array(repeating: byte, count: 16))) }

  /// A bond of Secure Connections, with this host as the central.
  static func bond(_ number: UInt64, key byte: UInt8 = 1) throws -> Bond {
    var bond = Bond(identity: .staticRandom(number), isPersistent: true)
    bond.keyAsCentral = LongTermKey(
      key: try key(byte), size: 16, isAuthenticated: false, isSecureConnections: true)
    return bond
  }

  /// A legacy bond with everything that can be in one.
  static func fullBond(_ number: UInt64) throws -> Bond {
    var bond = Bond(identity: BluetoothAddress(number, kind: .public), isPersistent: true)
    bond.keyAsCentral = LongTermKey(
      key: try key(3).masked(toSize: 7), size: 7, isAuthenticated: true, isSecureConnections: false,
      encryptedDiversifier: 0x1234, randomNumber: 0x0102_0304_0506_0708)
    bond.keyAsPeripheral = LongTermKey(
      key: try key(4), size: 16, isAuthenticated: false, isSecureConnections: false, encryptedDiversifier: 5,
      randomNumber: 6)
    (bond.peerResolvingKey, bond.peerSigningKey, bond.localSigningKey) = (try key(5), try key(6), try key(7))
    bond.localIdentity = PairingIdentity(address: .staticRandom(1), resolvingKey: try key(8))
    bond.client = client
    bond.knownAddress = BluetoothAddress(0x4000_0000_0008, kind: .random)
    return bond
  }

  /// What is kept of a client: a subscription.
  static var client: BondedClient {
    var client = BondedClient()
    client.features = 3
    client.configurations = [.init(valueHandle: 0x0102, uuid: 0x2A19, bits: 3)]
    return client
  }
}

/// Collects texts.
final class Reports: Sendable {
  private let texts = Mutex<[String]>([])
  var all: [String] { texts.withLock { $0 } }
  func add(_ text: String) { texts.withLock { $0.append(text) } }
}

/// The items as any program sees them.
enum RawItems {
  static func query(_ service: String = KeychainBonds.service, _ account: String? = nil) -> [CFString: Any] {
    var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
    if let account { query[kSecAttrAccount] = account }
    return query
  }

  static func all(_ service: String = KeychainBonds.service) -> [[CFString: Any]] {
    var query = query(service)
    (query[kSecReturnAttributes], query[kSecReturnData], query[kSecMatchLimit]) = (true, true, kSecMatchLimitAll)
    var result: CFTypeRef?
    guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return [] }
    return result as? [[CFString: Any]] ?? []
  }

  static func data(_ account: String, _ service: String = KeychainBonds.service) throws -> Data {
    try #require(all(service).first { $0[kSecAttrAccount] as? String == account }?[kSecValueData] as? Data)
  }

  static func set(_ changes: [CFString: Any], _ account: String, _ service: String = KeychainBonds.service) {
    #expect(SecItemUpdate(query(service, account) as CFDictionary, changes as CFDictionary) == errSecSuccess)
  }

  /// The account of a bond of the host with the address 1.
  static func account(_ number: UInt64, local: UInt64 = 1) -> String {
    "\(BluetoothAddress.staticRandom(local)) random / \(BluetoothAddress.staticRandom(number)) random"
  }
}
