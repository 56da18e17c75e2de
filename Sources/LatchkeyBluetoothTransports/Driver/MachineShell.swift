import Synchronization

/// Lock, ask, unlock, act: runs a sans-I/O machine among threads.
///
/// Any thread may put an input in. The machine handles it under the one lock; what it wants done waits in its own list of
/// outputs. The thread that finds nobody performing becomes the performer: it takes the list, performs it output by output
/// without the lock, and looks again until there is nothing left; all others return at once. So outputs keep the
/// machine's order, nothing is called with the lock held, and a call from inside a callback only adds to the list.
///
/// One timer is armed for the machine's next deadline. It is armed anew only for an earlier one: a deadline that moved
/// back, as that of an answered request does, is found out when the timer fires.
package final class MachineShell<Machine: TimedMachine & ~Copyable>: Sendable {
  private struct State: ~Copyable {
    var machine: Machine
    var isPerforming = false
    var isClosed = false
    /// The list that the next performer takes outputs into; kept for its allocation.
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
  private let perform: @Sendable (consuming Machine.Output) -> Void

  /// A shell around `machine`. `perform` is called for each output in order, on whichever thread performs.
  package init(
    _ machine: consuming sending Machine, scheduler: any Scheduler,
    perform: @escaping @Sendable (consuming Machine.Output) -> Void
  ) {
    state = Mutex(State(machine: machine))
    self.scheduler = scheduler
    self.perform = perform
  }

  deinit {
    state.withLock { state in state.alarm?.timer.cancel() }
  }

  /// Hands the machine to `body` under the lock, with the time, then performs what came of it unless another call is
  /// doing so already.
  ///
  /// `body` must not call the shell again; what the shell performs may.
  package func withMachine<Result: Sendable, Failure: Error>(
    _ body: (inout Machine, _ now: Duration) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var outputs: [Machine.Output] = []
    defer { performAll(&outputs) }
    return try state.withLock { state throws(Failure) in
      defer { begin(&state, &outputs) }
      return try body(&state.machine, scheduler.now)
    }
  }

  /// Disarms the timer and arms none again. Inputs are still taken, and what comes of them is still performed.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.alarm?.timer.cancel()
      state.alarm = nil
    }
  }

  /// Makes the caller the performer if there is none and there is something to do.
  private func begin(_ state: inout State, _ outputs: inout [Machine.Output]) {
    guard !state.isPerforming else { return }
    swap(&outputs, &state.spare)
    state.isPerforming = true
    proceed(&state, &outputs)
  }

  /// Takes the next outputs, or, when there are none, ends the performing and sees to the timer.
  private func proceed(_ state: inout State, _ outputs: inout [Machine.Output]) {
    state.machine.exchangeOutputs(&outputs)
    guard outputs.isEmpty else { return }
    swap(&outputs, &state.spare)
    state.isPerforming = false
    arm(&state)
  }

  private func performAll(_ outputs: inout [Machine.Output]) {
    while !outputs.isEmpty {
      // Taken from the end, each output leaves the list without a copy, so its bytes have one owner.
      outputs.reverse()
      while let output = outputs.popLast() { perform(consume output) }
      state.withLock { state in
        proceed(&state, &outputs)
        // Others may give this thread more and more to do: the machine's time does not wait for the end of that.
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
      // A timer that was cancelled too late to be stopped is not the armed one.
      guard !state.isClosed, state.alarm?.number == number else { return }
      state.alarm = nil
      let now = scheduler.now
      if let deadline = state.machine.nextDeadline, deadline <= now { state.machine.handleTimeout(now: now) }
      begin(&state, &outputs)
    }
    performAll(&outputs)
  }
}
