/// Something that went wrong without anybody waiting to hear of it: for a log.
public enum HostNotice: Sendable, Hashable {
  /// Values of a peer were dropped, so many by now: the client that is to have them is too slow.
  case valuesDropped(BluetoothAddress, total: Int)
  /// Values for a peer were dropped, so many by now: the peer takes none, or confirms none, while others do.
  case updatesDropped(BluetoothAddress, total: Int)
  /// A Write Command was dropped: it has so many bytes, and no more than `limit` fit.
  case writeCommandTooLong(BluetoothAddress, count: Int, limit: Int)
}

extension HostNotice: CustomStringConvertible {
  /// A sentence that says what to do about it.
  public var description: String {
    switch self {
    case .valuesDropped(let peer, let total):
      "\(total) values of \(peer) were dropped: the manager's queue is too slow or blocked; do less in its callbacks"
    case .updatesDropped(let peer, let total):
      "\(total) values for \(peer) were dropped: it takes them more slowly than other subscribers do; send it fewer"
    case .writeCommandTooLong(let peer, let count, let limit):
      """
      A write without response of \(count) bytes to \(peer) was dropped: \(limit) bytes fit; \
      ask maximumWriteValueLength(for: .withoutResponse)
      """
    }
  }
}

/// Counts what is dropped, and says when that is worth a word: the first time, and each time the count has doubled.
struct DropCounter: Sendable {
  private(set) var total = 0

  /// One more was dropped. Returns whether to tell of it.
  mutating func count() -> Bool {
    total += 1
    return total & (total - 1) == 0
  }
}
