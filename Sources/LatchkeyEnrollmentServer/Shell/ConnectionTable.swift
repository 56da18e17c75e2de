internal import Metrics
internal import NIOCore
internal import ServiceLifecycle
internal import Synchronization

/// The open connections, and the sweep that closes stalled ones: one pass over all of them several times a second costs less
/// than a timer for each.
final class ConnectionTable: Sendable {
  private struct State {
    var connections: [ObjectIdentifier: ClientConnection] = [:]
    var ofPeer: [PeerAddress: Int] = [:]
    /// The total number of closed connections, and of streams ended by the sweep.
    var closed = 0
    /// When shutdown began.
    var endingSince: NIODeadline?
    /// Whether the shutdown waits no longer for tasks.
    var isGivenUp = false
    /// The tasks that serve connections.
    var tasks = 0
    /// The callers that wait for the end of the last connection and task.
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// Counts a connection for its peer.
    mutating func count(_ connection: ClientConnection) {
      ofPeer[connection.peer, default: 0] += 1
      connection.count()
    }

    var isDrained: Bool { (connections.isEmpty && tasks == 0) || isGivenUp }

    /// The callers to resume, if nothing is left to wait for.
    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
      guard isDrained else { return [] }
      defer { waiting = [] }
      return waiting
    }
  }

  private let state = Mutex(State())
  private let limits: ServerLimits
  private let metrics: ServerMetrics
  /// Whether this is the table of a port whose connections are adopted by the tables of tenants.
  private let isShared: Bool

  init(limits: ServerLimits, metrics: ServerMetrics, isShared: Bool = false) {
    (self.limits, self.metrics, self.isShared) = (limits, metrics, isShared)
  }

  var count: Int { state.withLock { $0.connections.count } }
  /// The open connections.
  var connections: [ClientConnection] { state.withLock { Array($0.connections.values) } }

  /// Registers a connection until its channel closes.
  ///
  /// - Parameter isProxied: whether its peer is a proxy, for which the limit per address does not count.
  /// - Returns: nil if the total limit or the limit per address is reached; the channel is closed then.
  func admit(_ channel: any Channel, isProxied: Bool = false) -> ClientConnection? {
    let connection = ClientConnection(channel: channel, now: .now())
    let key = ObjectIdentifier(channel)
    let isAdmitted = state.withLock {
      guard $0.connections.count < limits.connections, $0.endingSince == nil,
        isProxied || $0.ofPeer[connection.peer, default: 0] < limits.connectionsPerAddress
      else { return false }
      $0.connections[key] = connection
      if !isProxied { $0.count(connection) }
      return true
    }
    guard isAdmitted else {
      metrics.refusedConnections.increment()
      channel.close(promise: nil)
      return nil
    }
    follow(connection)
    return connection
  }

  /// Takes over a connection that the table of the port has admitted: this table alone ends it from now on, and both count it.
  ///
  /// - Returns: whether the limits have room for it.
  func adopt(_ connection: ClientConnection) -> Bool {
    let isAdmitted = state.withLock {
      guard $0.connections.count < limits.connections, $0.endingSince == nil,
        !connection.isCounted || $0.ofPeer[connection.peer, default: 0] < limits.connectionsPerAddress
      else { return false }
      $0.connections[ObjectIdentifier(connection.channel)] = connection
      if connection.isCounted { $0.count(connection) }
      return true
    }
    guard isAdmitted else {
      metrics.refusedConnections.increment()
      return false
    }
    connection.adopted()
    follow(connection)
    return true
  }

  /// Counts a registered connection until its channel closes.
  private func follow(_ connection: ClientConnection) {
    metrics.connections.increment()
    connection.channel.closeFuture.whenComplete { [self] _ in
      let waiting = state.withLock { state in
        state.connections[ObjectIdentifier(connection.channel)] = nil
        state.closed += 1
        if connection.isCounted {
          let left = state.ofPeer[connection.peer, default: 1] - 1
          state.ofPeer[connection.peer] = left > 0 ? left : nil
        }
        return state.takeWaiting()
      }
      metrics.connections.decrement()
      for waiter in waiting { waiter.resume() }
    }
  }

  /// Records the client's address that a proxy named, which counts from now on.
  ///
  /// - Returns: whether the limit per address has room for it.
  func identify(_ connection: ClientConnection, as address: String) -> Bool {
    let peer = PeerAddress(address)
    let isAdmitted = state.withLock {
      guard $0.ofPeer[peer, default: 0] < limits.connectionsPerAddress else { return false }
      connection.identify(as: address)
      $0.count(connection)
      return true
    }
    if !isAdmitted { metrics.refusedConnections.increment() }
    return isAdmitted
  }

  /// Sweeps until canceled. At shutdown, idle connections have a moment to close, those with requests the time limit of one.
  func sweep() async {
    let shortest = min(limits.handshakeTimeout, limits.requestTimeout, limits.answerTimeout, limits.idleTimeout)
    let pause = Duration.seconds(shortest > 0.04 ? min(1, shortest / 4) : 0.01)
    let memory = FreedMemory()
    await withGracefulShutdownHandler {
      while !Task.isCancelled {
        end(now: .now())
        memory.giveBack(closed: state.withLock { $0.closed }, now: .now())
        do { try await Task.sleep(for: pause) } catch { return }
      }
    } onGracefulShutdown: {
      self.quiesce()
    }
  }

  /// The time that a new connection has for its first request once the shutdown has begun.
  private static let firstRequest = TimeAmount.seconds(1)

  /// Begins the shutdown, once: admits no further connection, and tells the open ones to end after their requests in progress. One that
  /// has asked for nothing yet is told later: its first request may be under way, and a load balancer does not send it elsewhere.
  func quiesce() {
    let open: [ClientConnection] = state.withLock { state in
      guard state.endingSince == nil else { return [] }
      state.endingSince = .now()
      return Array(state.connections.values)
    }
    for connection in open {
      let channel = connection.channel
      // A connection is admitted and gets its handlers in one turn of its event loop, so these are there.
      let tell = { @Sendable [isShared] in
        guard !isShared || !connection.isAdopted else { return }
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
      }
      channel.eventLoop.execute {
        guard !connection.hasAsked else { return tell() }
        channel.eventLoop.scheduleTask(in: Self.firstRequest, tell)
      }
    }
  }

  /// Serves a connection in a task, with the connection as `current` in its requests.
  func serve(_ connection: ClientConnection, _ body: @escaping @Sendable () async -> Void) {
    state.withLock { $0.tasks += 1 }
    Task {
      await ClientConnection.$current.withValue(connection) { await body() }
      let waiting = state.withLock { state in
        state.tasks -= 1
        return state.takeWaiting()
      }
      for waiter in waiting { waiter.resume() }
    }
  }

  /// Waits until no connection is open and no task serves one. Canceled, it closes them.
  func drained() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let isDrained = state.withLock { state in
          if !state.isDrained { state.waiting.append(waiter) }
          return state.isDrained
        }
        if isDrained { waiter.resume() }
      }
    } onCancel: {
      for connection in connections { connection.channel.close(promise: nil) }
    }
  }

  private func end(now: NIODeadline) {
    let (all, ending) = state.withLock { (Array($0.connections.values), $0.endingSince) }
    if let ending, now - ending >= TimeAmount(limits.requestTimeout) * 2 { giveUp() }
    for connection in all where !due(connection, ending, now: now).isEmpty {
      // Checked again on its event loop, where requests arrive, so that one that has just arrived is not cut off.
      connection.channel.eventLoop.execute { [self] in
        for channel in due(connection, ending, now: now) {
          if channel !== connection.channel { state.withLock { $0.closed += 1 } }
          channel.close(promise: nil)
        }
      }
    }
  }

  /// Ends the wait of a shutdown for tasks that do not end, of services whose closures do not return, long after their connections were
  /// closed.
  private func giveUp() {
    let waiting = state.withLock { state in
      state.isGivenUp = true
      return state.takeWaiting()
    }
    for waiter in waiting { waiter.resume() }
  }

  /// The channels of a connection that are due to close.
  private func due(_ connection: ClientConnection, _ ending: NIODeadline?, now: NIODeadline) -> [any Channel] {
    guard !isShared || !connection.isAdopted else { return [] }
    guard let ending else { return connection.stalled(now: now, limits: limits) }
    let elapsed = now - ending
    let isOver =
      elapsed >= TimeAmount(limits.requestTimeout) || (elapsed >= Self.firstRequest && !connection.hasRequests)
    return isOver ? [connection.channel] : []
  }
}
