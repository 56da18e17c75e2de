package import LatchkeyBluetoothHost
import Synchronization

/// Where the bonds and the IRK of a host outlive it. Calls may block; they come from any thread, one at a time.
package protocol BondStore: Sendable {
  /// The stored bonds.
  func load() throws -> [Bond]
  /// Stores a bond, in place of the one with the same identity; it is stored when this returns.
  func save(_ bond: Bond) throws
  /// Stores what was kept of the peer with a bond, if the bond is stored with the same keys: another program may have
  /// removed it.
  func update(_ bond: Bond) throws
  /// Removes the bond with an identity. Does nothing if there is none.
  func remove(_ identity: BluetoothAddress) throws
  /// The IRK of the host. The first call draws it; it is stored when this returns.
  func resolvingKey(_ draw: () -> SecurityKey?) throws -> SecurityKey?
}

extension BondStore {
  /// A new IRK: for a store that has no place for one.
  package func resolvingKey(_ draw: () -> SecurityKey?) -> SecurityKey? { draw() }
}

/// Bonds that last as long as their controller in this process, as those of a virtual radio do.
package final class MemoryBondStore: BondStore {
  private let bonds = Mutex<[BluetoothAddress: Bond]>([:])
  private let key = Mutex<SecurityKey?>(nil)

  package init() {}

  package func load() -> [Bond] { bonds.withLock { Array($0.values) } }

  package func save(_ bond: Bond) { bonds.withLock { $0[bond.identity] = bond } }

  package func update(_ bond: Bond) {
    bonds.withLock { bonds in
      if bonds[bond.identity]?.hasSameKeys(as: bond) == true { bonds[bond.identity] = bond }
    }
  }

  package func resolvingKey(_ draw: () -> SecurityKey?) -> SecurityKey? {
    key.withLock { key in
      key = key ?? draw()
      return key
    }
  }

  package func remove(_ identity: BluetoothAddress) { bonds.withLock { _ = $0.removeValue(forKey: identity) } }
}

/// The random bytes of keys, from the system's source.
enum SystemRandomBytes {
  /// A key of them.
  static func drawKey() -> SecurityKey? {
    var bytes = draw(SecurityKey.byteCount)
    return SecurityKey(consuming: &bytes)
  }

  static let draw: @Sendable (Int) -> [UInt8] = { count in
    var source = SystemRandomNumberGenerator()
    var bytes = [UInt8](repeating: 0, count: max(0, count))
    // Eight bytes at a time: each number that is drawn is a call of the system.
    for start in stride(from: 0, to: bytes.count, by: 8) {
      var word: UInt64 = source.next()
      for index in start..<min(start + 8, bytes.count) {
        bytes[index] = UInt8(truncatingIfNeeded: word)
        word >>= 8
      }
    }
    return bytes
  }
}
