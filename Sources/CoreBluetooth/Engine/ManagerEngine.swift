import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// Connects a manager to the host. Central and peripheral engines have this in common.
protocol ManagerEngine: HostEventSink, CallbackHandler {
  var driver: HostDriver { get }
  var callbacks: CallbackQueue<Self> { get }
  var pairing: ManagerPairing { get }

  /// Passes the state of the manager's session to `body` under the engine's lock.
  func withSession<Result>(_ body: (inout ManagerSession) -> Result) -> Result

  /// Receives the client of the new session, with the host locked.
  func joined(as client: ClientID)

  /// The item of an event.
  static func item(of event: HostEvent) -> Item
}

/// A manager's use of its host.
struct ManagerSession {
  /// Nil before the start and after the end.
  var client: ClientID?
  /// The host's life that was last reported to the manager.
  var life: HostLife?
  /// The timer that starts the callbacks.
  var start: ManagerStart?
}

extension ManagerEngine {
  var client: ClientID? { withSession { $0.client } }

  /// Starts to receive the host's events.
  ///
  /// The events wait (`ManagerStart`), so that the app has its reference to the manager before the delegate gets it.
  func receiveEvents() {
    driver.addClient(self) { host, client in
      withSession { $0.client = client }
      joined(as: client)
      host.setPairingTerms(pairing.terms, of: client)
      callbacks.append(Self.item(of: .stateChanged(host.state, host.life)), to: self)
    }
    withSession { $0.start = ManagerStart(on: driver) { [weak self] in self.map { $0.callbacks.start($0) } } }
  }

  /// Runs a command: the state in the app's view and the host's change in the same order, whichever thread is first.
  ///
  /// `update` changes the state in the app's view and returns whether the host has anything to do. A host that was reset,
  /// or switched off and on, since its state was last reported to the manager is not called: the pending report ends the
  /// request.
  func command(_ update: () -> Bool, _ body: (inout LatchkeyBluetoothHost.Host, _ now: Duration) -> Void) {
    driver.withHost { host, now in
      guard update(), withSession({ $0.life == host.life }) else { return }
      body(&host, now)
    }
  }
}
