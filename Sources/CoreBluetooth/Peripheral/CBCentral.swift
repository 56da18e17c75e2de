import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// A central that is, or was, connected to this host.
open class CBCentral: CBPeer {
  private let driver: HostDriver
  private let currentLink: Locked<LinkID?>

  init(identifier: UUID, driver: HostDriver, link: LinkID) {
    self.driver = driver
    currentLink = Locked(link)
    super.init(identifier: identifier)
  }

  /// How many bytes of a value one update can carry: ATT_MTU - 3, 20...512.
  open var maximumUpdateValueLength: Int {
    guard let link else { return ATTLimits.valueLength(mtu: ATTLimits.defaultMTU) }
    return ATTLimits.valueLength(mtu: driver.withHost { host, _ in host.mtu(of: link) })
  }

  /// Numbers the connections to the central, none twice; nil without a connection. The identifier stays the same from
  /// one to the next.
  package var connection: UInt32? { link?.value }

  /// The connection to the central; nil without one.
  var link: LinkID? { currentLink.withLock { $0 } }

  func setLink(_ link: LinkID?) { currentLink.withLock { $0 = link } }
}
