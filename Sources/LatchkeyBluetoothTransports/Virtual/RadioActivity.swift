package import Dispatch
import Glibc
import Synchronization

/// What moves on a radio of tests: callbacks that are queued or run, and outputs that are performed. When nothing moves,
/// only time or the test can make anything happen.
///
/// Each movement is announced before the one that caused it ends, so the count reaches zero once, at the end of all that
/// follows from an input. Only radios of tests have this object; others pay for a comparison.
package final class RadioActivity: Sendable {
  /// A block on a queue. The queue runs it, or a thread that does so in the queue's name, whichever is first.
  private final class Block: Sendable {
    let queue: DispatchQueue
    let isBarrier: Bool
    private let body: Mutex<(@Sendable () -> Void)?>

    init(_ queue: DispatchQueue, isBarrier: Bool = false, _ body: @escaping @Sendable () -> Void) {
      self.queue = queue
      self.isBarrier = isBarrier
      self.body = Mutex(body)
    }

    func run() {
      let body = self.body.withLock { $0.take() }
      body?()
    }

    /// Runs the block in the queue's turn, on the calling thread.
    @Sendable func runOnQueue() { queue.sync(flags: isBarrier ? .barrier : []) { run() } }
  }

  private struct Waiter {
    /// Whether blocks of the main queue wake it, too.
    let runsMainQueue: Bool
    let wake: @Sendable () -> Void
  }

  private struct State {
    /// Callbacks' blocks that are queued or run, and threads that perform outputs.
    var moving = 0
    /// Blocks of the main queue that have not begun, in order.
    var mainBlocks: [Block] = []
    /// Blocks of other queues that have not begun, and that no thread was given.
    var blocks: [ObjectIdentifier: Block] = [:]
    var waiters: [Waiter] = []
    /// Work that was postponed to the next time that nothing moves.
    var postponed: [@Sendable () -> Void] = []
    /// The queues of managers by the managers' controllers, and by the objects that use them.
    var queues: [String: [ObjectIdentifier: DispatchQueue]] = [:]
    /// The queues of apps that a test named.
    var watched: [DispatchQueue] = []
    /// The controllers whose managers had callbacks since these managers' queues were last found empty. An app on one
    /// phone puts nothing on the queues of another: with many phones the others' queues would take most of the time.
    var calledBack: Set<String> = []
    /// How often their queues are still to be run.
    var rounds = 0
    /// The threads that run callbacks.
    var callbackThreads: Set<pthread_t> = []

    /// Notes that code of an app on a controller ran, which may have put blocks on its queues; nil for all apps. Blocks of
    /// one queue may put others on another one: three times round, where the test named queues.
    mutating func expectBlocks(of controller: String?) {
      if let controller { calledBack.insert(controller) } else { calledBack.formUnion(queues.keys) }
      rounds = watched.isEmpty ? 1 : 3
    }
  }

  /// What to do next to bring a radio to rest.
  package enum Step: Sendable {
    /// Run these in order.
    case run([@Sendable () -> Void])
    /// Let these queues run what apps have put on them.
    case flush([DispatchQueue])
    /// Something moves; `wake` will be called.
    case wait
    /// Nothing moves.
    case atRest
  }

  private let state = Mutex(State())
  /// A queue on which nothing waits but counted blocks, so that it need not be run at rest.
  private let countedQueue: DispatchQueue?

  /// - Parameter countedQueue: the queue of devices, whose blocks are all counted.
  package init(countedQueue: DispatchQueue? = nil) { self.countedQueue = countedQueue }

  // MARK: Movements

  /// Counts a movement.
  package func begin() { state.withLock { $0.moving += 1 } }

  /// Ends a movement.
  package func end() {
    let waiters = state.withLock { state -> [Waiter] in
      state.moving -= 1
      return state.moving == 0 ? Self.takeAll(&state.waiters) : []
    }
    for waiter in waiters { waiter.wake() }
  }

  /// Runs a block of callbacks on the queue of a manager on a controller, counted from now until its end.
  package func async(on queue: DispatchQueue, of controller: String, _ body: @escaping @Sendable () -> Void) {
    let counted: @Sendable () -> Void = { [self] in
      let thread = pthread_self()
      // A callback on the main thread that lets the run loop run may have others inside.
      let isOuter = state.withLock { state in
        state.expectBlocks(of: controller)
        return state.callbackThreads.insert(thread).inserted
      }
      body()
      if isOuter { state.withLock { _ = $0.callbackThreads.remove(thread) } }
      end()
    }
    let block = Block(queue, counted)
    guard Self.isMain(queue) else { return schedule(block) }
    let waiters = state.withLock { state -> [Waiter] in
      state.moving += 1
      state.mainBlocks.append(block)
      let woken = state.waiters.filter(\.runsMainQueue)
      state.waiters.removeAll(where: \.runsMainQueue)
      return woken
    }
    for waiter in waiters { waiter.wake() }
    queue.async { [self] in
      state.withLock { state in state.mainBlocks.removeAll { $0 === block } }
      block.run()
    }
  }

  /// How often what waits on a queue is let run, which may put more there each time. A queue does not tell whether it is
  /// empty, and a block that puts itself on it again and again must not keep a radio from its rest.
  package static let flushes = 8

  /// Counts a block that a queue runs after what is on it now, and after what that puts on it, `flushes` deep: until then
  /// something moves.
  package func flush(_ queue: DispatchQueue) {
    schedule(Block(queue, isBarrier: true) { [self] in endFlush(queue, Self.flushes - 1) })
  }

  /// Ends the one movement of a flush after some more rounds; the queue runs already, so it needs no other thread for them.
  private func endFlush(_ queue: DispatchQueue, _ rounds: Int) {
    guard rounds > 0 else { return end() }
    queue.async(flags: .barrier) { [self] in endFlush(queue, rounds - 1) }
  }

  private func schedule(_ block: Block) {
    state.withLock { state in
      state.moving += 1
      state.blocks[ObjectIdentifier(block)] = block
    }
    block.queue.async(flags: block.isBarrier ? .barrier : []) { [self] in start(block) }
  }

  private func start(_ block: Block) {
    state.withLock { _ = $0.blocks.removeValue(forKey: ObjectIdentifier(block)) }
    block.run()
  }

  /// What brings blocks to run that have not begun, each on a thread of its own; at most some, and each once.
  ///
  /// Queues that are not serial get their threads from a pool as large as the machine has processors. Tests that wait on
  /// all of these would wait for each other.
  package func stalled() -> [@Sendable () -> Void] {
    let blocks = state.withLock { state in
      let blocks = Array(state.blocks.values.prefix(8))
      for block in blocks { state.blocks[ObjectIdentifier(block)] = nil }
      return blocks
    }
    return blocks.map { block in block.runOnQueue }
  }

  /// Runs `body` when nothing moves the next time that the test waits for that.
  package func postpone(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.postponed.append(body) } }

  // MARK: Queues

  /// Records that callbacks of a manager on a controller arrive on a queue.
  package func add(_ queue: DispatchQueue, of user: AnyObject, on controller: String) {
    guard queue !== countedQueue else { return }
    state.withLock { $0.queues[controller, default: [:]][ObjectIdentifier(user)] = queue }
  }

  /// Records a queue of an app, beside those of managers.
  package func watch(_ queue: DispatchQueue) {
    state.withLock { state in
      if !state.watched.contains(where: { $0 === queue }) { state.watched.append(queue) }
    }
  }

  /// Notes that code of an app on a controller ran, which may have put blocks on its queues; nil for all apps.
  package func expectBlocks(of controller: String?) { state.withLock { $0.expectBlocks(of: controller) } }

  /// Records that the manager is gone. Called from a `deinit`.
  package func removeQueue(of user: ObjectIdentifier, on controller: String) {
    _ = state.withLock { $0.queues[controller]?.removeValue(forKey: user) }
  }

  /// Whether a queue is the main one: Dispatch makes a new object of it each time.
  package static func isMain(_ queue: DispatchQueue) -> Bool { queue.label == "com.apple.main-thread" }

  // MARK: Waiting

  /// Whether the calling thread runs a callback of this radio: it cannot wait for its own end.
  package var isInCallback: Bool { state.withLock { $0.callbackThreads.contains(pthread_self()) } }

  /// How much moves, and on which queues managers have their callbacks: for messages.
  package var summary: (moving: Int, queues: [String]) {
    state.withLock { ($0.moving, Set($0.queues.values.flatMap(\.values).map(\.label)).sorted()) }
  }

  /// The next step to rest. `wake` is called once if that is to wait.
  ///
  /// - Parameter runsMainQueue: whether the caller runs in place of the main queue, which does not run meanwhile.
  package func step(runsMainQueue: Bool, wake: @escaping @Sendable () -> Void) -> Step {
    state.withLock { state in
      if runsMainQueue, !state.mainBlocks.isEmpty {
        let block = state.mainBlocks.removeFirst()
        return .run([{ block.run() }])
      }
      guard state.moving == 0 else {
        state.waiters.append(Waiter(runsMainQueue: runsMainQueue, wake: wake))
        return .wait
      }
      if !state.postponed.isEmpty { return .run(Self.takeAll(&state.postponed)) }
      guard state.rounds > 0 else { return .atRest }
      state.rounds -= 1
      let queues = state.calledBack.compactMap { state.queues[$0] }.flatMap(\.values) + state.watched
      if state.rounds == 0 { state.calledBack.removeAll(keepingCapacity: true) }
      return queues.isEmpty ? .atRest : .flush(Self.distinct(queues))
    }
  }

  private static func takeAll<Element>(_ list: inout [Element]) -> [Element] {
    var taken: [Element] = []
    swap(&taken, &list)
    return taken
  }

  private static func distinct(_ queues: [DispatchQueue]) -> [DispatchQueue] {
    var seen: Set<ObjectIdentifier> = []
    var hasMain = false
    return queues.filter { queue in
      guard isMain(queue) else { return seen.insert(ObjectIdentifier(queue)).inserted }
      defer { hasMain = true }
      return !hasMain
    }
  }
}
