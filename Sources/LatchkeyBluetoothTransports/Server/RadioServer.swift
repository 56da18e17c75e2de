import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Offers the controllers of a virtual radio to other processes: each client that connects speaks H4 to a controller of
/// its own, which is removed with it.
///
/// One event loop reads all clients, so that none waits for more than a turn of each other one. With several threads,
/// the performer of the radio (`MachineShell`) would be busy as long as others flood it, and its own clients would
/// wait. A radio whose scheduler is an event loop is served by that one, without a second thread.
///
/// There is neither encryption nor a password: listen at a loopback address or a Unix socket.
public final class RadioServer: Sendable {
  /// The most clients at the same time; a further one is closed at once.
  public static let maximumClients = 256

  /// A change of a server's clients.
  public enum Event: Sendable, Equatable {
    /// A client connected; its controller has this name.
    case joined(String)
    /// A client has left, and its controller was removed.
    case left(String, reason: String)
  }

  private struct State {
    var clients: [ObjectIdentifier: RadioClient] = [:]
    var lastNumber = 0
    var isClosed = false
  }

  private let makeTransport: @Sendable (String) -> any ControllerTransport
  let report: @Sendable (Event) -> Void
  private let capture: RadioCapture?
  /// Reads all clients.
  let loop: any EventLoop
  private let socket: ListeningSocket
  private let state = Mutex(State())

  /// A server for controllers on `radio`; `report` is called on an event loop.
  ///
  /// - Parameter capture: records the traffic of all clients, each under a number of its own.
  public convenience init(
    radio: VirtualRadio, capture: RadioCapture? = nil, report: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    self.init(
      on: (radio.scheduler as? NIOScheduler)?.eventLoop, capture: capture, makeTransport: { radio.makeTransport($0) },
      report: report)
  }

  /// A server that lends a controller, to one client after the other.
  package convenience init(
    lending controller: LentController, capture: RadioCapture? = nil,
    report: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    self.init(
      on: controller.loop, capture: capture, makeTransport: { _ in controller.makeTransport() }, report: report)
  }

  /// A server whose clients get transports that `makeTransport` makes from their names; `report` is called on an event
  /// loop.
  init(
    on loop: (any EventLoop)? = nil, capture: RadioCapture? = nil,
    makeTransport: @escaping @Sendable (String) -> any ControllerTransport,
    report: @escaping @Sendable (Event) -> Void
  ) {
    self.capture = capture
    self.makeTransport = makeTransport
    self.report = report
    self.loop = loop ?? MultiThreadedEventLoopGroup.singleton.next()
    socket = ListeningSocket(on: self.loop)
  }

  /// How many clients are connected.
  public var clientCount: Int { state.withLock { $0.clients.count } }

  /// Listens at `place`, until `shutDown()`. The Unix socket of a server that has ended is replaced.
  ///
  /// - Returns: the place, with the port that the system chose, if it was to choose.
  public func start(at place: ListenSpecification) async throws(RadioServerError) -> ListenSpecification {
    let isTCP = place.endpoint.isTCP
    return try await socket.start(at: place) { channel in
      let handler = H4ChannelHandler(from: .host, isTCP: isTCP, observer: self.makeClient())
      try channel.pipeline.syncOperations.addHandler(handler)
    }
  }

  /// Stops listening, disconnects all clients, and returns when their connections are closed.
  public func shutDown() async {
    let clients = state.withLock { state in
      state.isClosed = true
      return Array(state.clients.values)
    }
    await socket.close()
    for client in clients {
      client.end("the server is shut down")
      await client.sender?.waitUntilClosed()
    }
  }

  private func makeClient() -> RadioClient {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let name = "client-\(number)"
    return RadioClient(name: name, transport: makeTransport(name), server: self)
  }

  /// The trace of an admitted client; nil if nothing is captured.
  func trace(of name: String) -> PacketTrace? { capture?.begin(name) }

  /// Registers a client whose stream is open, if the limit allows it.
  func admit(_ client: RadioClient) -> Bool {
    let (isAdmitted, isFull) = state.withLock { state in
      let isFull = state.clients.count >= Self.maximumClients
      guard !isFull, !state.isClosed else { return (false, isFull) }
      state.clients[ObjectIdentifier(client)] = client
      return (true, false)
    }
    if isAdmitted { logger.info("\(client.name) joined") }
    if isFull { logger.warning("\(client.name) was turned away: \(Self.maximumClients) clients are connected") }
    return isAdmitted
  }

  /// Unregisters a client whose stream has ended.
  func forget(_ client: RadioClient, _ reason: String) {
    let wasHere = state.withLock { $0.clients.removeValue(forKey: ObjectIdentifier(client)) != nil }
    guard wasHere else { return }
    logger.info("\(client.name) left: \(reason)")
    report(.left(client.name, reason: reason))
  }
}
