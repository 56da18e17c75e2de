import LatchkeyDBus
import LatchkeyProvisioningProtocol

/// How long the parts of an attempt to join may take.
package struct JoinLimits: Sendable {
  /// To find the network and to be let in.
  package var association = Duration.seconds(40)
  /// To get an address then.
  package var address = Duration.seconds(45)

  package init() {}
}

extension NetworkService {
  /// Waits until the interface has an address.
  ///
  /// - Parameter isIn: what a signal of the service says about being in the network; nil if it says nothing.
  func waitForAddress(
    on interface: String, _ link: NetworkLink, before: LinkState, within limit: Duration,
    isIn: (BusMessage) throws(JoinFailure) -> Bool?
  ) throws(JoinFailure) -> (address: String, reach: NetworkReach) {
    let begin = ContinuousClock.now
    var wait = AddressWait(before: before.addresses, limit: limit)
    while true {
      switch wait.look(link.state(interface), at: ContinuousClock.now - begin) {
      case .joined(let address, let reach)?: return (address, reach)
      case .failed(let failure)?: throw failure
      case nil: break
      }
      // The kernel is asked again after this time, or when the service has said something.
      if let message = try signal(until: ContinuousClock.now + Self.addressInterval), let isIn = try isIn(message) {
        wait.link(isIn: isIn)
      }
    }
  }

  private static let addressInterval = Duration.milliseconds(200)
}
