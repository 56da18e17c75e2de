/// A problem that no client waits to be informed of: for a log.
public enum HostNotice: Sendable, Hashable {
  /// Values of a peer were dropped: the client consumes too slowly. The total counts all so far.
  case valuesDropped(BluetoothAddress, total: Int)
  /// Values for a peer were dropped: it accepts or confirms none while others do. The total counts all so far.
  case updatesDropped(BluetoothAddress, total: Int)
  /// A Write Command of `count` bytes was dropped: at most `limit` fit.
  case writeCommandTooLong(BluetoothAddress, count: Int, limit: Int)
  /// A new bond is not stored: there are too many.
  case tooManyBonds(BluetoothAddress)
  /// A new bond is not stored: it would replace a stronger one.
  case weakerBond(BluetoothAddress)
}

extension HostNotice: CustomStringConvertible {
  /// A sentence with the remedy.
  public var description: String {
    switch self {
    case .valuesDropped(let peer, let total):
      "\(total) values of \(peer) were dropped: the manager's queue is too slow or blocked; do less in its callbacks"
    case .updatesDropped(let peer, let total):
      "\(total) values for \(peer) were dropped: it accepts them more slowly than other subscribers do; send it fewer"
    case .writeCommandTooLong(let peer, let count, let limit):
      """
      A write without response of \(count) bytes to \(peer) was dropped: \(limit) bytes fit; \
      ask maximumWriteValueLength(for: .withoutResponse)
      """
    case .tooManyBonds(let peer):
      "the pairing with \(peer) ends with the connection: \(BondTable.capacity) bonds are stored; remove some"
    case .weakerBond(let peer):
      "the pairing with \(peer) ends with the connection: it is weaker than the stored one; remove that one first"
    }
  }
}

/// Counts drops and decides when to report them: the first time, and each time the count has doubled.
struct DropCounter: Sendable {
  private(set) var total = 0

  /// Counts one more drop. Returns whether to report it.
  mutating func count() -> Bool {
    total += 1
    return total & (total - 1) == 0
  }
}
