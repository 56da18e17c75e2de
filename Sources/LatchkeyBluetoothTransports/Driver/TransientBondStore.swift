import LatchkeyBluetoothHost

/// The store of a host whose own address ends with the process, and its bonds with it: none is stored, which users hear.
struct TransientBondStore: BondStore {
  /// Why no bond is stored.
  struct Refusal: Error, CustomStringConvertible {
    var description: String { "this host's own address could not be stored, and pairings belong to that address" }
  }

  func load() -> [Bond] { [] }
  func save(_ bond: Bond) throws { throw Refusal() }
  func update(_ bond: Bond) {}
  func remove(_ identity: BluetoothAddress) {}
}
