import CoreBluetooth
public import Dispatch
import Foundation
import LatchkeyBluetoothEmulator
public import LatchkeyBluetoothTransports
import Logging
import Synchronization

// Time, and rest.
extension TestRadio {
  /// How long the test waits, in the system's time, for an app to return from its callbacks. Then something hangs.
  static let patience = DispatchTimeInterval.seconds(60)
  /// How long a block may wait for a thread of Dispatch before it gets another one.
  static let stallTime = DispatchTimeInterval.milliseconds(20)

  /// The time since the radio was made, or, in real time, since an arbitrary origin.
  public var now: Duration { air.scheduler.now }

  /// Waits until nothing moves: all packets have arrived, and all callbacks have returned, with those that they caused.
  /// No time passes on a radio in virtual time.
  ///
  /// This is exact for what managers do, and for blocks on their queues: those that the test or a timer of
  /// ``after(_:_:)`` put there, those that callbacks put on the queues of managers on the same phone, and those that such
  /// blocks put there in turn, eight deep. Work that an app hands to other queues, threads or tasks is not seen, except for
  /// queues that ``watch(_:)`` names and tasks on ``taskExecutor``. On the main thread, and on the main queue, callbacks for
  /// the main queue are delivered from inside this call. From inside a callback it cannot work: the call is logged and
  /// returns.
  ///
  /// - Returns: false where the radio does not come to rest: a callback that does not return, or an app that asks again for
  ///   each answer; after a minute of the system's time, with a message in the log.
  @discardableResult
  public func settle() -> Bool {
    // The test may have called methods of the app, which put blocks on its queue.
    activity.expectBlocks(of: nil)
    return rest()
  }

  private func rest() -> Bool {
    guard !activity.isInCallback else {
      logger.error("settle() was called by a callback of the same radio: it cannot wait for its own end")
      return false
    }
    let deadline = DispatchTime.now() + Self.patience
    let isOnMainQueue = MainQueue.isCurrent
    while true {
      let semaphore = DispatchSemaphore(value: 0)
      switch activity.step(runsMainQueue: isOnMainQueue, wake: { semaphore.signal() }) {
      case .run(let work): for work in work { work() }
      case .flush(let queues): flush(queues, isOnMainQueue: isOnMainQueue)
      case .wait:
        while semaphore.wait(timeout: .now() + Self.stallTime) != .success {
          guard DispatchTime.now() < deadline else { return giveUp() }
          for block in activity.stalled() { Thread.detachNewThread(block) }
        }
      case .atRest: return true
      }
      if DispatchTime.now() > deadline { return giveUp() }
    }
  }

  /// ``settle()`` for asynchronous tests: the calling task waits, and its thread is free meanwhile. The main queue runs
  /// by itself.
  @discardableResult
  public func settled() async -> Bool {
    activity.expectBlocks(of: nil)
    return await resting()
  }

  /// ``settled()`` for apps with tasks that the radio does not see: it waits until a condition is true, too, in the system's
  /// time. On a radio in virtual time no time passes.
  ///
  /// - Parameter limit: how long, in the system's time. Then something hangs, or does not happen.
  /// - Returns: whether the condition is true in the end.
  @discardableResult
  public func settled(
    within limit: Duration = .seconds(10), isolation: isolated (any Actor)? = #isolation,
    until condition: () async -> Bool
  ) async -> Bool {
    let end = ContinuousClock.now + limit
    while true {
      await settled()
      if await condition() { return true }
      guard ContinuousClock.now < end else { return false }
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  private func resting() async -> Bool {
    let deadline = DispatchTime.now() + Self.patience
    while true {
      let rest = await withCheckedContinuation { (continuation: CheckedContinuation<RadioActivity.Step, Never>) in
        let step = activity.step(runsMainQueue: false) { continuation.resume(returning: .wait) }
        // Something moves: the continuation is resumed at its end.
        if case .wait = step { return }
        continuation.resume(returning: step)
      }
      switch rest {
      case .run(let work): for work in work { work() }
      case .flush(let queues): flush(queues, isOnMainQueue: false)
      case .wait: break
      case .atRest: return true
      }
      if DispatchTime.now() > deadline { return giveUp() }
    }
  }

  /// Lets time pass, from one deadline to the next, with callbacks in between: each sees the time at which it is due.
  ///
  /// On a radio in real time the calling thread waits.
  public func advance(by duration: Duration) {
    _ = advance(upTo: duration) { false }
  }

  /// Lets time pass until a condition is true, and no longer than `limit`. It is checked at rest, at first and after each
  /// deadline.
  ///
  /// - Returns: whether the condition is true in the end.
  @discardableResult
  public func advance(upTo limit: Duration, until condition: () -> Bool) -> Bool {
    guard let clock = virtualClock else { return waitInRealTime(limit, until: condition) }
    let target = clock.now + max(limit, .zero)
    guard settle() else { return condition() }
    while !condition() {
      guard let deadline = clock.nextDeadline, deadline <= target else {
        clock.advance(to: target)
        return condition()
      }
      clock.advance(to: deadline)
      guard rest() else { return condition() }
    }
    return true
  }

  /// ``advance(by:)`` for asynchronous tests.
  public func advanced(by duration: Duration) async {
    guard let clock = virtualClock else {
      try? await Task.sleep(for: duration)
      await settled()
      return
    }
    let target = clock.now + max(duration, .zero)
    guard await settled() else { return }
    while let deadline = clock.nextDeadline, deadline <= target {
      clock.advance(to: deadline)
      guard await resting() else { return }
    }
    clock.advance(to: target)
  }

  /// Waits in ``settle()`` for the blocks on a queue, too: one of an app that is no manager's. Blocks that hop from one queue
  /// to the next and back are waited for three times.
  public func watch(_ queue: DispatchQueue) { activity.watch(queue) }

  /// Calls `body` once after a delay on the radio's clock, on the thread that advances it. For timers of apps: what `body`
  /// puts on a manager's queue is done before the time goes on.
  ///
  /// - Returns: the timer, to cancel it. On a radio in real time it has to be kept.
  @discardableResult
  public func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer {
    // In a callback of an app it is that app's timer.
    let controller = DefaultController.current
    return air.scheduler.makeTimer(at: now + delay) { [activity] in
      activity.begin()
      body()
      activity.expectBlocks(of: controller)
      activity.end()
    }
  }

  /// In real time the condition is checked every few milliseconds: nobody says when it becomes true.
  private func waitInRealTime(_ limit: Duration, until condition: () -> Bool) -> Bool {
    let end = now + limit
    settle()
    while !condition() {
      guard now < end else { return false }
      Thread.sleep(forTimeInterval: 0.005)
      settle()
    }
    return true
  }

  /// Lets managers' queues run what callbacks have put on them.
  private func flush(_ queues: [DispatchQueue], isOnMainQueue: Bool) {
    for queue in queues {
      if isOnMainQueue, RadioActivity.isMain(queue) {
        for _ in 0..<RadioActivity.flushes { MainQueue.runOnce() }
      } else {
        activity.flush(queue)
      }
    }
  }

  private func giveUp() -> Bool {
    let (moving, queues) = activity.summary
    logger.error(
      """
      the radio does not come to rest: \(moving) callbacks and exchanges are under way after a minute; managers have \
      their callbacks on \(queues.joined(separator: ", "))
      """)
    return false
  }
}

private let logger = Logger(label: "latchkey.bluetooth.testing")

/// The main queue, as the calling thread sees it.
private enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the calling thread is the main thread, or runs a block of the main queue: that queue waits for it.
  static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }

  /// Runs the blocks that wait on the main queue, where the calling thread can: on the main thread, outside of a block of
  /// that queue.
  static func runOnce() {
    guard Thread.isMainThread else { return }
    let box = Flag()
    DispatchQueue.main.async { box.set() }
    // Inside a block the run loop does not touch the queue, so there is no second try.
    for _ in 0..<2 where !box.isSet { _ = RunLoop.main.run(mode: .default, before: Date()) }
  }

  private final class Flag: Sendable {
    private let value = Atomic(false)
    func set() { value.store(true, ordering: .releasing) }
    var isSet: Bool { value.load(ordering: .acquiring) }
  }
}
