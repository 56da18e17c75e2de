package import LatchkeyBluetoothHost
import Logging
import Synchronization

extension Host: TimedMachine {}

/// Runs one `Host` over one controller: bytes, timers and the calls of any number of managers come in on any thread, and
/// what the host wants done is done in its order, without a lock held (`MachineShell`).
///
/// A driver lives, and keeps its transport, from `start()` to `shutDown()`. When a controller is lost the host's state becomes
/// `poweredOff`; when the transport has found it again, the host begins anew. It has no thread of its own that could be left behind: it
/// borrows those of its callers, its transport and its scheduler.
public final class HostDriver: Sendable {
  private let shell: MachineShell<Host>
  private let scheduler: any Scheduler
  private let outlet: HostOutlet
  private let lastRequest = Atomic<UInt64>(0)
  /// Why the controller was lost last.
  private let loss = Mutex<String?>(nil)
  /// Written under the shell's lock, so that nothing is begun after the end.
  private let isShutDown = Atomic(false)

  /// A driver that has not begun.
  ///
  /// - Parameter trace: gets every packet, and is closed at `shutDown()`.
  package init(
    configuration: HostConfiguration, transport: any ControllerTransport, scheduler: any Scheduler,
    trace: PacketTrace? = nil
  ) {
    let outlet = HostOutlet(transport: transport, trace: trace)
    self.outlet = outlet
    self.scheduler = scheduler
    shell = MachineShell(Host(configuration: configuration), scheduler: scheduler) { output in
      outlet.perform(output)
    }
  }

  /// Opens the way to the controller; the host's state is `unknown` until that and its initialization are through.
  /// Called once.
  package func start() {
    shell.withMachine { host, _ in host.expectController() }
    outlet.transport.open(self)
  }

  /// Ends everything for good: links, scans and procedures, then the transport and the timer. Clients hear of it as of a
  /// controller that is gone. May be called from anywhere, and again.
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

  /// Why the controller was lost last; nil if it never was.
  package var reasonOfLoss: String? { loss.withLock { $0 } }

  // MARK: Clients

  /// Adds a client whose events go to `sink`, which is not kept alive.
  package func addClient(_ sink: any HostEventSink) -> ClientID {
    addClient(sink) { _, client in client }
  }

  /// Adds a client and hands the host to `body` before the client hears of anything, as `withHost(_:)` does.
  package func addClient<Result: Sendable>(
    _ sink: any HostEventSink, _ body: (inout Host, ClientID) -> Result
  ) -> Result {
    shell.withMachine { host, _ in
      let client = host.addClient()
      outlet.add(sink, for: client)
      return body(&host, client)
    }
  }

  /// Has `body` called once, after `delay` on the scheduler's clock. The caller keeps the timer.
  package func makeTimer(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer {
    scheduler.makeTimer(at: scheduler.now + delay, body)
  }

  /// Ends all that a client asked for. Its sink hears nothing that begins after it.
  package func removeClient(_ client: ClientID) {
    outlet.removeSink(of: client)
    shell.withMachine { host, now in host.removeClient(client, now: now) }
  }

  /// Hands the host to `body` under the lock, with the time, then sees to it that what comes of it is done.
  ///
  /// `body` must not call the driver again; events and completions may.
  @discardableResult
  package func withHost<Result: Sendable, Failure: Error>(
    _ body: (inout Host, _ now: Duration) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try shell.withMachine(body)
  }

  /// Has a procedure carried out; `completion` is called once with its outcome, as a sink is with events.
  package func submit(
    _ procedure: GATTProcedure, client: ClientID, link: LinkID,
    completion: @escaping @Sendable (GATTOutcome) -> Void
  ) {
    let request = RequestID(lastRequest.add(1, ordering: .relaxed).newValue)
    outlet.add(completion, for: request)
    shell.withMachine { host, now in host.submit(procedure, id: request, client: client, link: link, now: now) }
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
