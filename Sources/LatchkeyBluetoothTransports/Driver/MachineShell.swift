import Synchronization

/// Runs a sans-I/O machine among threads: lock, ask, unlock, act.
///
/// Any thread may give an input. The machine handles it under the one lock and queues its outputs. A thread that finds
/// no performer becomes the performer: it removes the outputs, performs them one by one without the lock, and repeats
/// until none is left; all other threads return at once. So outputs are performed in order, nothing is called with the
/// lock held, and a call from inside a callback only adds to the queue.
///
/// One timer is armed for the machine's next deadline. It is rearmed only for an earlier one: a deadline that moved
/// back, such as that of an answered request, is noticed when the timer fires.
package final class MachineShell<Machine: TimedMachine & ~Copyable>: Sendable {
  private struct State: ~Copyable {
    var machine: Machine
    var isPerforming = false
    var isClosed = false
    /// The list into which the next performer receives outputs; stored for its allocation.
    var spare: [Machine.Output] = []
    var alarm: Alarm?
    var alarmCount: UInt64 = 0
  }

  private struct Alarm {
    let number: UInt64
    let deadline: Duration
    let timer: any ScheduledTimer
  }

  private let state: Mutex<State>
  private let scheduler: any Scheduler
  private let activity: RadioActivity?
  private let perform: @Sendable (consuming Machine.Output) -> Void

  /// A shell around `machine`. `perform` is called for each output in order, on the performer's thread.
  ///
  /// - Parameter activity: counts performers, on a radio of tests.
  package init(
    _ machine: consuming sending Machine, scheduler: any Scheduler, activity: RadioActivity? = nil,
    perform: @escaping @Sendable (consuming Machine.Output) -> Void
  ) {
    state = Mutex(State(machine: machine))
    self.scheduler = scheduler
    self.activity = activity
    self.perform = perform
  }

  deinit {
    state.withLock { state in state.alarm?.timer.cancel() }
  }

  /// Passes the machine to `body` under the lock, with the time, then performs the resulting outputs unless another
  /// call does so already.
  ///
  /// `body` must not call the shell again; the performed outputs may.
  // Inlined into callers that know the machine: `run` is then specialized for it, which the compiler does not do for a function
  // whose result stays generic.
  @inline(__always)
  package func withMachine<Result: Sendable, Failure: Error>(
    _ body: (inout Machine, _ now: Duration) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var outcome: Swift.Result<Result, Failure>?
    run { machine, now in
      do throws(Failure) { outcome = .success(try body(&machine, now)) } catch { outcome = .failure(error) }
    }
    guard let outcome else { preconditionFailure("the machine was not asked") }
    return try outcome.get()
  }

  private func run(_ body: (inout Machine, _ now: Duration) -> Void) {
    var outputs: [Machine.Output] = []
    state.withLock { state in
      body(&state.machine, scheduler.now)
      begin(&state, &outputs)
    }
    performAll(&outputs)
  }

  /// Disarms the timer for good. Inputs are still handled, and their outputs are still performed.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.alarm?.timer.cancel()
      state.alarm = nil
    }
  }

  /// Makes the caller the performer if there is none and outputs are queued.
  private func begin(_ state: inout State, _ outputs: inout [Machine.Output]) {
    guard !state.isPerforming else { return }
    swap(&outputs, &state.spare)
    state.isPerforming = true
    activity?.begin()
    proceed(&state, &outputs)
  }

  /// Removes the next outputs, or, without any, ends the performing and arms the timer.
  private func proceed(_ state: inout State, _ outputs: inout [Machine.Output]) {
    state.machine.exchangeOutputs(&outputs)
    guard outputs.isEmpty else { return }
    swap(&outputs, &state.spare)
    state.isPerforming = false
    // The timer first: who waits for the end of the performing looks for the next deadline.
    arm(&state)
    activity?.end()
  }

  private func performAll(_ outputs: inout [Machine.Output]) {
    while !outputs.isEmpty {
      // Removed from the end, each output leaves the list without a copy, so its bytes have one owner.
      if outputs.count > 1 { outputs.withUnsafeMutableBufferPointer { $0.reverse() } }
      while let output = outputs.popLast() { perform(consume output) }
      state.withLock { state in
        proceed(&state, &outputs)
        // Other threads may add outputs without end: the machine's deadline does not wait for that.
        if !outputs.isEmpty { arm(&state) }
      }
    }
  }

  private func arm(_ state: inout State) {
    guard !state.isClosed, let deadline = state.machine.nextDeadline else { return }
    if let alarm = state.alarm {
      guard deadline < alarm.deadline else { return }
      alarm.timer.cancel()
    }
    state.alarmCount &+= 1
    let number = state.alarmCount
    // Under the lock, so that no two threads arm at once; a scheduler never calls back from inside `makeTimer`.
    let timer = scheduler.makeTimer(at: deadline) { [weak self] in self?.alarmRang(number) }
    state.alarm = Alarm(number: number, deadline: deadline, timer: timer)
  }

  private func alarmRang(_ number: UInt64) {
    var outputs: [Machine.Output] = []
    state.withLock { state in
      // A timer that was canceled too late to be stopped is not the armed one.
      guard !state.isClosed, state.alarm?.number == number else { return }
      state.alarm = nil
      let now = scheduler.now
      if let deadline = state.machine.nextDeadline, deadline <= now { state.machine.handleTimeout(now: now) }
      begin(&state, &outputs)
    }
    performAll(&outputs)
  }
}

/// A sans-I/O machine that a `MachineShell` can run: inputs go in through its own functions, outputs are queued, and
/// its next deadline is data.
package protocol TimedMachine: ~Copyable, SendableMetatype {
  /// An action that the machine requests.
  associatedtype Output: Sendable

  /// When to call `handleTimeout(now:)`; nil for never. After `handleTimeout(now:)` it is nil or later than `now`.
  var nextDeadline: Duration? { get }

  /// Performs the work that is due at `now`.
  mutating func handleTimeout(now: Duration)

  /// Moves the queued outputs, in order, into `list`, which is empty.
  ///
  /// Exchange `list` with the machine's own list: both allocations then live forever, and a packet allocates nothing in
  /// the shell.
  mutating func exchangeOutputs(_ list: inout [Output])
}
