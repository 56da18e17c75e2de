import Dispatch
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothTransports
import Synchronization
import Testing

/// Numbers its inputs in the order in which it gets them, and asks for each number to be performed.
private struct Counter: TimedMachine {
  enum Output: Equatable {
    case number(Int)
    case alarm(Duration)
  }

  var count = 0
  var nextDeadline: Duration?
  var outputs: [Output] = []

  mutating func add() {
    outputs.append(.number(count))
    count += 1
  }

  mutating func handleTimeout(now: Duration) {
    nextDeadline = nil
    outputs.append(.alarm(now))
  }

  mutating func exchangeOutputs(_ list: inout [Output]) { swap(&outputs, &list) }
}

/// A clock that also counts how often it was asked for a timer.
private final class CountingClock: Scheduler {
  let clock = VirtualClock()
  let timers = Atomic(0)

  var now: Duration { clock.now }

  func makeTimer(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer {
    timers.add(1, ordering: .relaxed)
    return clock.makeTimer(at: deadline, body)
  }
}

private final class Log<Element: Sendable>: Sendable {
  private let entries = Mutex<[Element]>([])
  var all: [Element] { entries.withLock { $0 } }
  func add(_ element: Element) { entries.withLock { $0.append(element) } }
}

private enum Refusal: Error { case asked }

struct MachineShellTests {
  private let log = Log<Counter.Output>()
  private let clock = CountingClock()

  private func makeShell() -> MachineShell<Counter> {
    MachineShell(Counter(), scheduler: clock) { [log] output in log.add(output) }
  }

  @Test("Outputs are performed before the call returns") func outputsAreDoneBeforeTheCallReturns() {
    let shell = makeShell()
    let result = shell.withMachine { machine, _ in
      machine.add()
      machine.add()
      return "result"
    }
    #expect(result == "result")
    #expect(log.all == [.number(0), .number(1)])
  }

  @Test("Outputs of an input that throws are performed") func outputsOfAnInputThatThrowsAreDone() {
    let shell = makeShell()
    #expect(throws: Refusal.asked) {
      try shell.withMachine { machine, _ throws(Refusal) in
        machine.add()
        throw .asked
      }
    }
    #expect(log.all == [.number(0)])
  }

  @Test("A call from inside an output is performed after the earlier outputs")
  func aCallFromInsideAnOutputIsDoneAfterTheOutputsBeforeIt() {
    let log = Log<String>()
    let box = Mutex<MachineShell<Counter>?>(nil)
    let shell = MachineShell(Counter(), scheduler: clock) { output in
      log.add("begin \(output)")
      if output == .number(0) {
        let shell = box.withLock { $0 }
        shell?.withMachine { machine, _ in machine.add() }
        log.add("returned")
      }
      log.add("end \(output)")
    }
    box.withLock { $0 = shell }
    shell.withMachine { machine, _ in
      machine.add()
      machine.add()
    }
    box.withLock { $0 = nil }
    #expect(
      log.all == [
        "begin number(0)", "returned", "end number(0)", "begin number(1)", "end number(1)", "begin number(2)",
        "end number(2)",
      ])
  }

  @Test("A deadline is met while outputs never end") func aDeadlineIsMetThoughThereIsAlwaysMoreToDo() {
    let (log, clock) = (log, clock)
    let box = Mutex<MachineShell<Counter>?>(nil)
    let shell = MachineShell(Counter(), scheduler: clock) { output in
      log.add(output)
      guard case .number(let number) = output, number < 20 else { return }
      let shell = box.withLock { $0 }
      shell?.withMachine { machine, now in
        machine.add()
        if number == 0 { machine.nextDeadline = now + .seconds(1) }
      }
      if number == 10 { clock.clock.advance(by: .seconds(1)) }
    }
    box.withLock { $0 = shell }
    shell.withMachine { machine, _ in machine.add() }
    box.withLock { $0 = nil }
    // Behind what was to be done when the deadline came, and before what came later.
    #expect(log.all.firstIndex(of: .alarm(.seconds(1))) == 12)
    #expect(log.all.count == 22)
  }

  @Test("Many threads keep the machine's order and one performer") func manyThreadsKeepTheMachinesOrderAndOnePerformer()
  {
    let numbers = Log<Int>()
    let performers = Atomic(0)
    let overlaps = Atomic(0)
    let shell = MachineShell(Counter(), scheduler: clock) { output in
      if performers.add(1, ordering: .sequentiallyConsistent).newValue != 1 {
        overlaps.add(1, ordering: .relaxed)
      }
      if case .number(let number) = output { numbers.add(number) }
      performers.subtract(1, ordering: .sequentiallyConsistent)
    }
    let group = DispatchGroup()
    for thread in 0..<8 {
      DispatchQueue(label: "input \(thread)").async(group: group) {
        for _ in 0..<500 { shell.withMachine { machine, _ in machine.add() } }
      }
    }
    // The thread that performs last returns last, so nothing is under way once all have.
    group.wait()
    #expect(numbers.all == Array(0..<4000))
    #expect(overlaps.load(ordering: .relaxed) == 0)
  }

  @Test("A deadline fires when it is due") func theDeadlineComesWhenItIsDue() {
    let shell = makeShell()
    shell.withMachine { machine, now in machine.nextDeadline = now + .seconds(30) }
    clock.clock.advance(by: .milliseconds(29_999))
    #expect(log.all == [])
    clock.clock.advance(by: .milliseconds(1))
    #expect(log.all == [.alarm(.seconds(30))])
  }

  @Test("An earlier deadline rearms the timer and a later one does not")
  func anEarlierDeadlineIsArmedAndALaterOneIsNot() {
    let shell = makeShell()
    shell.withMachine { machine, _ in machine.nextDeadline = .seconds(10) }
    shell.withMachine { machine, _ in machine.nextDeadline = .seconds(20) }
    #expect(clock.timers.load(ordering: .relaxed) == 1)
    shell.withMachine { machine, _ in machine.nextDeadline = .seconds(5) }
    #expect(clock.timers.load(ordering: .relaxed) == 2)
    #expect(clock.clock.nextDeadline == .seconds(5))
    clock.clock.advance(by: .seconds(7))
    #expect(log.all == [.alarm(.seconds(5))])
    #expect(clock.clock.nextDeadline == nil)
  }

  @Test("A deadline that moved back is rearmed when the timer fires")
  func aDeadlineThatMovedBackIsArmedAnewWhenTheTimerFires() {
    let shell = makeShell()
    shell.withMachine { machine, _ in machine.nextDeadline = .seconds(10) }
    shell.withMachine { machine, _ in machine.nextDeadline = .seconds(25) }
    clock.clock.advance(to: .seconds(24))
    #expect(log.all == [])
    clock.clock.advance(to: .seconds(25))
    #expect(log.all == [.alarm(.seconds(25))])
  }

  @Test("A removed deadline fires nothing") func aDeadlineThatWasGivenUpFiresNothing() {
    let shell = makeShell()
    shell.withMachine { machine, _ in machine.nextDeadline = .seconds(10) }
    shell.withMachine { machine, _ in machine.nextDeadline = nil }
    clock.clock.advance(by: .seconds(60))
    #expect(log.all == [])
  }

  @Test("A deadline that is set while performing is armed") func aDeadlineSetWhilePerformingIsArmed() {
    let box = Mutex<MachineShell<Counter>?>(nil)
    let shell = MachineShell(Counter(), scheduler: clock) { [log] output in
      log.add(output)
      guard output == .number(0) else { return }
      let shell = box.withLock { $0 }
      shell?.withMachine { machine, _ in machine.nextDeadline = .seconds(1) }
    }
    box.withLock { $0 = shell }
    shell.withMachine { machine, _ in machine.add() }
    box.withLock { $0 = nil }
    clock.clock.advance(by: .seconds(1))
    #expect(log.all == [.number(0), .alarm(.seconds(1))])
  }

  @Test("A closed shell arms no timer and still performs") func aClosedShellArmsNothingAndStillPerforms() {
    let shell = makeShell()
    shell.withMachine { machine, _ in machine.nextDeadline = .seconds(1) }
    shell.close()
    #expect(clock.clock.nextDeadline == nil)
    shell.withMachine { machine, _ in
      machine.nextDeadline = .seconds(1)
      machine.add()
    }
    #expect(log.all == [.number(0)])
    #expect(clock.clock.nextDeadline == nil)
  }

  @Test("A released shell leaves no timer") func aShellThatIsLetGoOfLeavesNoTimer() {
    do {
      let shell = makeShell()
      shell.withMachine { machine, _ in machine.nextDeadline = .seconds(1) }
      #expect(clock.clock.nextDeadline == .seconds(1))
    }
    #expect(clock.clock.nextDeadline == nil)
  }
}
