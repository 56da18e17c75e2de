import Logging
import Synchronization

/// A way to a controller that may be lost and come back: whenever it is closed it is sought again, after a second, then
/// after twice the time before, up to half a minute.
///
/// The receiver hears that the way is closed once, however often it is sought in vain, and that it is open when it is.
package final class ReconnectingTransport: ControllerTransport {
  /// How long to wait before the first attempt after a loss.
  static let firstWait = Duration.seconds(1)
  /// The longest time between two attempts. A way that was open for so long was a good one: the waits begin anew.
  static let longestWait = Duration.seconds(30)

  private struct State {
    var receiver: (any ControllerTransportReceiver)?
    /// The way that is open or being opened.
    var attempt: Attempt?
    var openSince: Duration?
    /// Whether the receiver knows of the loss.
    var isLossTold = false
    var wait = firstWait
    var timer: (any ScheduledTimer)?
  }

  package let scheduler: any Scheduler
  private let make: @Sendable () -> any ControllerTransport
  private let state = Mutex(State())

  /// A way whose attempts are made by `make`, and waited for by `scheduler`.
  package init(scheduler: any Scheduler, make: @escaping @Sendable () -> any ControllerTransport) {
    self.scheduler = scheduler
    self.make = make
  }

  /// Begins to open the way, and to seek it until `close()`.
  package func open(_ receiver: any ControllerTransportReceiver) {
    state.withLock { $0.receiver = receiver }
    begin()
  }

  /// Hands the packet to the way; while it is closed the packet is dropped.
  package func send(_ packet: consuming [UInt8]) {
    state.withLock { $0.attempt }?.way.send(packet)
  }

  /// Gives the way up for good.
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
      defer { state.isLossTold = false }
      return state.isLossTold
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
      // Under the lock, so that nobody closes in between; a scheduler never calls back from inside `makeTimer`.
      state.timer = scheduler.makeTimer(at: scheduler.now + state.wait) { [weak self] in self?.begin() }
      state.wait = min(state.wait * 2, Self.longestWait)
      defer { state.isLossTold = true }
      return !state.isLossTold
    }
    if isNews == true { attempt.receiver.transportClosed(reason.map { "\($0); it is sought again" }) }
  }

  /// One way, from its opening to its end.
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
