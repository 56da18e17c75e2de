import NIOCore
import NIOPosix
import Synchronization

/// A controller outside of this process that is lent to hosts, one after the other; a `RadioServer` offers it to other
/// programs.
package final class LentController: Sendable {
  /// A change of the controller.
  package enum Change: Sendable, Equatable {
    /// It is there, and free.
    case opened
    /// It is gone, with the reason; it is sought again.
    case closed(String)
  }

  private struct Ports {
    var hosts: [ControllerLease.HostID: any ControllerTransportReceiver] = [:]
    var lastHost: UInt64 = 0
    /// The way to the controller; each has a number.
    var way: (number: UInt64, transport: ReconnectingTransport)?
    var lastWay: UInt64 = 0
    var isClosed = false
  }

  private let shell: MachineShell<ControllerLease>
  private let ports: Locked
  /// Reads the hosts, and a controller behind a stream: no packet passes from one thread to another.
  let loop: any EventLoop
  private let makeWay: @Sendable () -> ReconnectingTransport
  private let report: @Sendable (Change) -> Void

  /// Reached by the outputs of the shell, which is made before `self` is.
  private final class Locked: Sendable {
    let ports = Mutex(Ports())
    let reopen = Mutex<@Sendable () -> Void> {}
  }

  /// A controller behind the transports that `makeWay` makes.
  init(
    scheduler: any Scheduler, on loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next(),
    allowsVendorCommands: Bool = false, makeWay: @escaping @Sendable () -> ReconnectingTransport,
    report: @escaping @Sendable (Change) -> Void = { _ in }
  ) {
    let ports = Locked()
    self.ports = ports
    self.loop = loop
    self.makeWay = makeWay
    self.report = report
    shell = MachineShell(ControllerLease(allowsVendorCommands: allowsVendorCommands), scheduler: scheduler) { output in
      switch output {
      case .toController(let packet): ports.ports.withLock { $0.way }?.transport.send(packet)
      case .toHost(let packet, let host): ports.ports.withLock { $0.hosts[host] }?.transportReceived(packet)
      case .lent(let host): ports.ports.withLock { $0.hosts[host] }?.transportOpened()
      case .ended(let host, let reason):
        ports.ports.withLock { $0.hosts.removeValue(forKey: host) }?.transportClosed(reason)
      case .reopen: ports.reopen.withLock { $0 }()
      }
    }
    ports.reopen.withLock { $0 = { [weak self] in self?.open() } }
  }

  /// A controller that a specification names, which is not virtual: those have no owner but their hosts.
  ///
  /// - Parameters:
  ///   - allowsVendorCommands: whether hosts may give commands of the manufacturer.
  ///   - report: called with each change, on any thread.
  package convenience init(
    _ specification: ControllerSpecification, allowsVendorCommands: Bool,
    report: @escaping @Sendable (Change) -> Void
  ) {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    self.init(
      scheduler: NIOScheduler(eventLoop: loop), on: loop, allowsVendorCommands: allowsVendorCommands,
      makeWay: { ReconnectingTransport.toController(specification, on: loop) }, report: report)
  }

  /// Opens the controller, and seeks it again whenever it is lost, until `close()`.
  package func open() {
    let (old, way) = ports.ports.withLock { ports -> (ReconnectingTransport?, Way?) in
      guard !ports.isClosed else { return (nil, nil) }
      let old = ports.way?.transport
      ports.lastWay += 1
      let transport = makeWay()
      ports.way = (ports.lastWay, transport)
      return (old, Way(self, number: ports.lastWay, transport))
    }
    old?.close()
    if let way { way.transport.open(way) }
  }

  /// Closes the controller for good; hosts lose it.
  package func close() {
    let way = ports.ports.withLock { ports in
      ports.isClosed = true
      return ports.way.take()?.transport
    }
    way?.close()
    shell.withMachine { lease, _ in lease.controllerClosed("the controller is closed") }
    shell.close()
  }

  /// A transport for a host that wants the controller.
  func makeTransport() -> any ControllerTransport {
    let number = ports.ports.withLock { ports in
      ports.lastHost += 1
      return ports.lastHost
    }
    return Transport(self, ControllerLease.HostID(number: number))
  }

  // MARK: The controller

  /// The receiver of one way to the controller.
  private final class Way: ControllerTransportReceiver {
    let transport: ReconnectingTransport
    private let number: UInt64
    private let controller: LentController

    init(_ controller: LentController, number: UInt64, _ transport: ReconnectingTransport) {
      self.controller = controller
      self.number = number
      self.transport = transport
    }

    /// Whether it is the way that is in use: an earlier one may still speak.
    private var isCurrent: Bool { controller.ports.ports.withLock { $0.way?.number == number } }

    func transportOpened() {
      guard isCurrent else { return }
      controller.report(.opened)
      controller.shell.withMachine { lease, _ in lease.controllerOpened() }
    }

    func transportReceived(_ packet: consuming [UInt8]) {
      guard isCurrent else { return }
      let packet = packet
      controller.shell.withMachine { lease, _ in lease.controllerSent(packet) }
    }

    func transportClosed(_ reason: String?) {
      guard isCurrent else { return }
      controller.report(.closed(reason ?? "it is gone"))
      controller.shell.withMachine { lease, _ in lease.controllerClosed(reason) }
    }
  }

  // MARK: Hosts

  /// A host's transport.
  private final class Transport: ControllerTransport {
    private let controller: LentController
    private let host: ControllerLease.HostID

    init(_ controller: LentController, _ host: ControllerLease.HostID) {
      self.controller = controller
      self.host = host
    }

    func open(_ receiver: any ControllerTransportReceiver) {
      controller.ports.ports.withLock { $0.hosts[host] = receiver }
      controller.shell.withMachine { lease, _ in lease.hostCame(host) }
    }

    func send(_ packet: consuming [UInt8]) {
      let packet = packet
      controller.shell.withMachine { lease, _ in lease.hostSent(packet, host) }
    }

    func close() {
      _ = controller.ports.ports.withLock { $0.hosts.removeValue(forKey: host) }
      controller.shell.withMachine { lease, now in lease.hostLeft(host, now: now) }
    }
  }
}
