package import LatchkeyBluetoothHost
import Logging
import Synchronization

extension Host: TimedMachine {}

/// Runs one `Host` over one controller: bytes, timers and the calls of any number of managers arrive on any thread, and
/// the host's outputs are performed in order, without a lock (`MachineShell`).
///
/// A driver lives, and retains its transport, from `start()` to `shutDown()`. When a controller is lost the host's
/// state becomes `poweredOff`; when the transport has reconnected, the host starts again. The driver has no thread of
/// its own: it uses those of its callers, its transport and its scheduler.
public final class HostDriver: Sendable {
  private let shell: MachineShell<Host>
  private let scheduler: any Scheduler
  /// What moves on the radio, if it is one of tests.
  package let activity: RadioActivity?
  private let outlet: HostOutlet
  private let lastRequest = Atomic<UInt64>(0)
  /// The reason of the last loss of the controller.
  private let loss = Mutex<String?>(nil)
  /// Written under the shell's lock, so that nothing starts after the end.
  private let isShutDown = Atomic(false)

  /// A driver that is not started.
  ///
  /// - Parameters:
  ///   - bonds: the bonds of the host, which are read here.
  ///   - trace: records every packet, and is closed at `shutDown()`.
  ///   - activity: counts what moves, on a radio of tests.
  package init(
    configuration: HostConfiguration, transport: any ControllerTransport, scheduler: any Scheduler,
    bonds: any BondStore = MemoryBondStore(), trace: PacketTrace? = nil,
    activity: RadioActivity? = nil
  ) {
    let outlet = HostOutlet(transport: transport, bonds: bonds, trace: trace)
    self.outlet = outlet
    self.scheduler = scheduler
    self.activity = activity
    var host = Host(configuration: configuration, random: SystemRandomBytes.draw)
    for bond in Self.load(bonds) { host.addBond(bond) }
    shell = MachineShell(host, scheduler: scheduler, activity: activity) { output in
      outlet.perform(output)
    }
  }

  /// The stored bonds; none, with a notice, if they cannot be read.
  private static func load(_ store: any BondStore) -> [Bond] {
    do { return try store.load() } catch {
      logger.warning("the stored pairings cannot be read: \(error)")
      return []
    }
  }

  /// Opens the connection to the controller; the host's state is `unknown` until that and its initialization are
  /// finished. Called once.
  package func start() {
    shell.withMachine { host, _ in host.expectController() }
    outlet.transport.open(self)
  }

  /// Ends everything for good: links, scans and procedures, then the transport and the timer. To clients it looks like
  /// a lost controller. May be called from any thread, and repeatedly.
  package func shutDown() {
    let isFirst = shell.withMachine { host, now in
      guard !isShutDown.exchange(true, ordering: .relaxed) else { return false }
      host.stop(now: now)
      return true
    }
    guard isFirst else { return }
    shell.close()
    outlet.transport.close()
    outlet.trace?.close()
  }

  /// Why the controller cannot be used, or the reason of its last loss; nil if neither was the case.
  package var reasonOfLoss: String? {
    if let failure = shell.withMachine({ host, _ in host.failure }) { return failure.description }
    return loss.withLock { $0 }
  }

  // MARK: Clients

  /// Adds a client whose events go to `sink`, which is not retained.
  package func addClient(_ sink: any HostEventSink) -> ClientID {
    addClient(sink) { _, client in client }
  }

  /// Adds a client and passes the host to `body` before the client's first event, as `withHost(_:)` does.
  package func addClient<Result: Sendable>(
    _ sink: any HostEventSink, _ body: (inout Host, ClientID) -> Result
  ) -> Result {
    shell.withMachine { host, _ in
      let client = host.addClient()
      outlet.add(sink, for: client)
      return body(&host, client)
    }
  }

  /// The time on the scheduler's clock.
  package var now: Duration { scheduler.now }

  /// Calls `body` once, after `delay` on the scheduler's clock. The caller retains the timer.
  package func makeTimer(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer {
    scheduler.makeTimer(at: scheduler.now + delay, body)
  }

  /// Ends all requests of a client. Its sink gets no event that begins after it.
  package func removeClient(_ client: ClientID) {
    outlet.removeSink(of: client)
    shell.withMachine { host, now in host.removeClient(client, now: now) }
  }

  /// Passes the host to `body` under the lock, with the time, then performs the resulting outputs.
  ///
  /// `body` must not call the driver again; events and completions may.
  @discardableResult
  package func withHost<Result: Sendable, Failure: Error>(
    _ body: (inout Host, _ now: Duration) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try shell.withMachine(body)
  }

  /// Submits a procedure; `completion` is called once with its outcome, in order with the events.
  package func submit(
    _ procedure: GATTProcedure, client: ClientID, link: LinkID, mayRaiseSecurity: Bool = true,
    completion: @escaping @Sendable (GATTOutcome) -> Void
  ) {
    let request = RequestID(lastRequest.add(1, ordering: .relaxed).newValue)
    outlet.add(completion, for: request)
    shell.withMachine { host, now in
      host.submit(
        procedure, id: request, client: client, link: link, mayRaiseSecurity: mayRaiseSecurity, now: now)
    }
  }
}

extension HostDriver: ControllerTransportReceiver {
  package func transportOpened() {
    shell.withMachine { host, now in
      guard !isShutDown.load(ordering: .relaxed) else { return }
      host.start(now: now)
    }
  }

  package func transportReceived(_ packet: consuming [UInt8]) {
    outlet.trace?.record(packet, .fromController)
    let packet = packet
    shell.withMachine { host, now in
      guard !isShutDown.load(ordering: .relaxed) else { return }
      host.receive(packet, now: now)
    }
  }

  package func transportClosed(_ reason: String?) {
    if let reason {
      loss.withLock { $0 = reason }
      logger.warning("The controller is gone: \(reason)")
    }
    shell.withMachine { host, now in host.stop(now: now) }
  }
}

/// The receiver of a host's events: one manager of an application.
package protocol HostEventSink: AnyObject, Sendable {
  /// Handles one event of its client. Events arrive in order, one at a time, without a lock, on any thread; calls to
  /// the driver from inside are performed after the events already queued.
  func hostDidSend(_ event: HostEvent)
  /// Handles that a bond could not be stored, with the reason: it ends with the process.
  func bondWasNotStored(_ identity: BluetoothAddress, _ reason: String)
}

extension HostEventSink {
  package func bondWasNotStored(_ identity: BluetoothAddress, _ reason: String) {}
}
