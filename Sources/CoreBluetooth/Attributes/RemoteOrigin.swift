import LatchkeyBluetoothHost
import Synchronization

/// Where discovered attributes live: on one connection, until it ends or the peer's database changes under them.
///
/// A `LinkID` is never given twice, so attributes of an earlier connection cannot be taken for those of the present one.
final class RemoteOrigin: Sendable {
  let link: LinkID
  private let valid = Atomic(true)

  init(link: LinkID) { self.link = link }

  var isValid: Bool { valid.load(ordering: .relaxed) }

  func invalidate() { valid.store(false, ordering: .relaxed) }
}

/// A discovered attribute: what the engine knows of it, and where.
struct Remote<Record> {
  let record: Record
  let origin: RemoteOrigin
}
