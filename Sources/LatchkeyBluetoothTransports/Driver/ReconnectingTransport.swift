import Logging
import Synchronization

/// A connection to a controller that reconnects: whenever it is closed it is retried, after a second, then with the
/// delay doubled each time, up to half a minute.
///
/// The receiver gets one close for a loss, however many attempts fail, and one open when an attempt succeeds.
package final class ReconnectingTransport: ControllerTransport {
  /// The delay before the first attempt after a loss.
  static let firstWait = Duration.seconds(1)
  /// The longest delay between two attempts. After a connection of that duration the delays start from the first.
  static let longestWait = Duration.seconds(30)

  private struct State {
    var receiver: (any ControllerTransportReceiver)?
    /// The connection that is open or being opened.
    var attempt: Attempt?
    var openSince: Duration?
    /// Whether the loss was reported to the receiver.
    var isLossReported = false
    var wait = firstWait
    var timer: (any ScheduledTimer)?
  }

  package let scheduler: any Scheduler
  private let make: @Sendable () -> any ControllerTransport
  private let state = Mutex(State())

  /// A transport whose attempts are made by `make` and scheduled by `scheduler`.
  package init(scheduler: any Scheduler, make: @escaping @Sendable () -> any ControllerTransport) {
    self.scheduler = scheduler
    self.make = make
  }

  /// Starts to open the connection, and retries until `close()`.
  package func open(_ receiver: any ControllerTransportReceiver) {
    state.withLock { $0.receiver = receiver }
    begin()
  }

  /// Sends the packet; without an open connection it is dropped.
  package func send(_ packet: consuming [UInt8]) {
    state.withLock { $0.attempt }?.way.send(packet)
  }

  /// Closes the connection for good.
  package func close() {
    let old = state.withLock { state in
      defer { state = State() }
      return state
    }
    old.timer?.cancel()
    old.attempt?.way.close()
  }

  private func begin() {
    let way = make()
    let attempt = state.withLock { state -> Attempt? in
      guard let receiver = state.receiver else { return nil }
      let attempt = Attempt(self, way, receiver)
      state.attempt = attempt
      state.timer = nil
      return attempt
    }
    if let attempt { way.open(attempt) }
  }

  fileprivate func opened(_ attempt: Attempt) {
    let wasLost = state.withLock { state -> Bool? in
      guard state.attempt === attempt else { return nil }
      state.openSince = scheduler.now
      defer { state.isLossReported = false }
      return state.isLossReported
    }
    guard let wasLost else { return }
    if wasLost { logger.notice("The controller is back") }
    attempt.receiver.transportOpened()
  }

  fileprivate func closed(_ attempt: Attempt, _ reason: String?) {
    let isNews = state.withLock { state -> Bool? in
      guard state.attempt === attempt else { return nil }
      state.attempt = nil
      if let since = state.openSince.take(), scheduler.now - since >= Self.longestWait { state.wait = Self.firstWait }
      // Under the lock, so that no thread closes in between; a scheduler never calls back from inside `makeTimer`.
      state.timer = scheduler.makeTimer(at: scheduler.now + state.wait) { [weak self] in self?.begin() }
      state.wait = min(state.wait * 2, Self.longestWait)
      defer { state.isLossReported = true }
      return !state.isLossReported
    }
    if isNews == true { attempt.receiver.transportClosed(reason.map { "\($0); it is sought again" }) }
  }

  /// One connection, from its opening to its end.
  fileprivate final class Attempt: ControllerTransportReceiver {
    let way: any ControllerTransport
    let receiver: any ControllerTransportReceiver
    /// Weak: the transport owns this attempt, and its user owns the transport.
    private let transport: WeakTransport

    init(
      _ transport: ReconnectingTransport, _ way: any ControllerTransport, _ receiver: any ControllerTransportReceiver
    ) {
      self.transport = WeakTransport(transport)
      self.way = way
      self.receiver = receiver
    }

    func transportOpened() { transport.object?.opened(self) }
    func transportReceived(_ packet: consuming [UInt8]) { receiver.transportReceived(packet) }
    func transportClosed(_ reason: String?) { transport.object?.closed(self, reason) }
  }

  /// Unchecked: set once, and the runtime's weak references may be read by any thread.
  private final class WeakTransport: @unchecked Sendable {
    weak let object: ReconnectingTransport?
    init(_ object: ReconnectingTransport) { self.object = object }
  }
}
