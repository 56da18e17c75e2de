import LatchkeyBluetoothHost
import Synchronization

/// The connection to which discovered attributes belong, until it ends or the peer's database changes in their range.
///
/// A `LinkID` is never reused, so attributes of an earlier connection are not mistaken for those of the current one.
final class RemoteOrigin: Sendable {
  let link: LinkID
  private let valid = Atomic(true)

  init(link: LinkID) { self.link = link }

  var isValid: Bool { valid.load(ordering: .relaxed) }

  func invalidate() { valid.store(false, ordering: .relaxed) }
}

/// A discovered attribute: its record and its connection.
struct Remote<Record> {
  let record: Record
  let origin: RemoteOrigin
}
