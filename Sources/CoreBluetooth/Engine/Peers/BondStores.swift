package import LatchkeyBluetoothHost
package import LatchkeyBluetoothTransports
import Synchronization

/// Chooses the store for the bonds of hosts on real controllers: the file in the state folder, or what another module offers.
///
/// The Bluetooth wing imports no keychain, so a module above both wings makes its choice here. It holds for hosts that are
/// created from then on; a host retains its store.
package final class BondStores: Sendable {
  /// Makes the store of the host with an own address.
  package typealias Maker = @Sendable (_ local: BluetoothAddress) -> any BondStore

  /// The process's choice.
  package static let process = BondStores()
  /// The choice for managers that are created in this task: the process's, or a test's own.
  @TaskLocal package static var current = process

  private let maker = Mutex<Maker?>(nil)

  package init() {}

  /// Uses the stores that `maker` makes; with nil, the file.
  package func use(_ maker: Maker?) { self.maker.withLock { $0 = maker } }

  /// The store of the host with an own address.
  package func store(local: BluetoothAddress) -> any BondStore {
    maker.withLock { $0 }?(local) ?? BondFileStore(.shared, local: local)
  }
}
