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
  }

  private let state = Mutex(State())
  private let limits: ServerLimits
  private let metrics: ServerMetrics

  init(limits: ServerLimits, metrics: ServerMetrics) {
    self.limits = limits
    self.metrics = metrics
  }

  var count: Int { state.withLock { $0.connections.count } }
  /// The open connections.
  var connections: [ClientConnection] { state.withLock { Array($0.connections.values) } }

  /// Registers a connection until its channel closes.
  ///
  /// - Returns: nil if the total limit or the limit per address is reached; the channel is closed then.
  func admit(_ channel: any Channel) -> ClientConnection? {
    let connection = ClientConnection(channel: channel, now: .now())
    let key = ObjectIdentifier(channel)
    let isAdmitted = state.withLock {
      guard $0.connections.count < limits.connections, $0.endingSince == nil,
        $0.ofPeer[connection.peer, default: 0] < limits.connectionsPerAddress
      else { return false }
      $0.connections[key] = connection
      $0.ofPeer[connection.peer, default: 0] += 1
      return true
    }
    guard isAdmitted else {
      metrics.refusedConnections.increment()
      channel.close(promise: nil)
      return nil
    }
    metrics.connections.increment()
    channel.closeFuture.whenComplete { [self] _ in
      state.withLock {
        $0.connections[key] = nil
        $0.closed += 1
        let left = $0.ofPeer[connection.peer, default: 1] - 1
        $0.ofPeer[connection.peer] = left > 0 ? left : nil
      }
      metrics.connections.decrement()
    }
    return connection
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
      self.state.withLock { $0.endingSince = .now() }
    }
  }

  private func end(now: NIODeadline) {
    let (all, ending) = state.withLock { (Array($0.connections.values), $0.endingSince) }
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

  /// The channels of a connection that are due to close.
  private func due(_ connection: ClientConnection, _ ending: NIODeadline?, now: NIODeadline) -> [any Channel] {
    guard let ending else { return connection.stalled(now: now, limits: limits) }
    let elapsed = now - ending
    let isOver = elapsed >= TimeAmount(limits.requestTimeout) || (elapsed >= .seconds(1) && !connection.hasRequests)
    return isOver ? [connection.channel] : []
  }
}
