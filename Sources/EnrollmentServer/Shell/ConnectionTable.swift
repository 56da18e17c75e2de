internal import Metrics
internal import NIOCore
internal import ServiceLifecycle
internal import Synchronization

/// The connections that are open, and the sweep that ends those that stall: one pass over all of them some times a second costs
/// less than a timer for each.
final class ConnectionTable: Sendable {
  private struct State {
    var connections: [ObjectIdentifier: ClientConnection] = [:]
    /// Since when the server ends.
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

  /// Takes a connection in until its channel closes.
  ///
  /// - Returns: nil if there are as many as there may be; the channel is closed then.
  func admit(_ channel: any Channel) -> ClientConnection? {
    let connection = ClientConnection(channel: channel, now: .now())
    let key = ObjectIdentifier(channel)
    let isAdmitted = state.withLock {
      guard $0.connections.count < limits.connections, $0.endingSince == nil else { return false }
      $0.connections[key] = connection
      return true
    }
    guard isAdmitted else {
      metrics.refusedConnections.increment()
      channel.close(promise: nil)
      return nil
    }
    metrics.connections.increment()
    channel.closeFuture.whenComplete { [self] _ in
      _ = state.withLock { $0.connections.removeValue(forKey: key) }
      metrics.connections.decrement()
    }
    return connection
  }

  /// Sweeps until cancelled. Once the server ends, idle connections have a moment to end by themselves, those with requests
  /// the time of one.
  func sweep() async {
    let shortest = min(limits.handshakeTimeout, limits.requestTimeout, limits.idleTimeout)
    let pause = Duration.seconds(shortest > 0.04 ? min(1, shortest / 4) : 0.01)
    await withGracefulShutdownHandler {
      while !Task.isCancelled {
        for channel in stalled(now: .now()) { channel.close(promise: nil) }
        do { try await Task.sleep(for: pause) } catch { return }
      }
    } onGracefulShutdown: {
      self.state.withLock { $0.endingSince = .now() }
    }
  }

  private func stalled(now: NIODeadline) -> [any Channel] {
    let (all, ending) = state.withLock { (Array($0.connections.values), $0.endingSince) }
    guard let ending else { return all.flatMap { $0.stalled(now: now, limits: limits) } }
    let elapsed = now - ending
    let grace = TimeAmount(limits.requestTimeout)
    return all.filter { elapsed >= grace || (elapsed >= .seconds(1) && !$0.hasRequests) }.map(\.channel)
  }
}
