import LatchkeyTestSupport
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import Synchronization

@testable import LatchkeyKeychainStore

extension Folder {
  /// The keychain in this folder, at a cost that a debug build can bear.
  func configuration(key: String? = nil, counter: (any HardwareCounter)? = nil) -> KeychainDatabase.Configuration {
    var configuration = KeychainDatabase.Configuration(path: path + "/keychain.db")
    configuration.scryptRounds = 16
    configuration.counter = counter
    if let key { configuration.rootKey = .keyFile(path: key) }
    return configuration
  }
}

extension NewItem {
  /// An item that holds the name of its account.
  static func account(_ name: String, _ accessibility: Accessibility = .whenUnlocked) -> NewItem {
    NewItem(
      .genericPassword, attributes: [.account: .text(name)], accessibility: accessibility, data: Array(name.utf8))
  }
}

/// The items' data.
func accounts(_ database: KeychainDatabase) throws -> Set<String> {
  let query = ItemQuery(.genericPassword, limit: nil, wantsData: true)
  return Set(try database.find(query, as: .none).map { String(decoding: $0.data ?? [], as: UTF8.self) })
}

/// A counter in hardware, without the hardware.
final class MemoryCounter: HardwareCounter {
  private let number = Mutex<UInt64>(41)
  func value() -> UInt64 { number.withLock { $0 } }
  func increment() -> UInt64 {
    number.withLock { number in
      number += 1
      return number
    }
  }
}
