import Synchronization
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("A virtual clock") struct VirtualClockTests {
  private final class Log: Sendable {
    private let state = Mutex<[String]>([])
    func add(_ entry: String) { state.withLock { $0.append(entry) } }
    var entries: [String] { state.withLock { $0 } }
  }

  @Test("fires in the order of deadlines, then of setting, each at its own time") func order() {
    let (clock, log) = (VirtualClock(), Log())
    for (name, seconds) in [("c", 3), ("a", 1), ("b", 2), ("a2", 1)] {
      clock.schedule(at: .seconds(seconds)) { log.add("\(name)@\(clock.now)") }
    }
    clock.advance(by: .seconds(2))
    #expect(log.entries == ["a@1.0 seconds", "a2@1.0 seconds", "b@2.0 seconds"])
    #expect(clock.now == .seconds(2))
    #expect(clock.nextDeadline == .seconds(3))
  }

  @Test("stands still until it is advanced") func standsStill() {
    let (clock, log) = (VirtualClock(start: .seconds(100)), Log())
    clock.schedule(at: .seconds(1)) { log.add("past") }
    #expect(log.entries.isEmpty && clock.nextDeadline == .seconds(100))
    clock.advance(by: .zero)
    #expect(log.entries == ["past"])
    clock.advance(to: .seconds(50))
    #expect(clock.now == .seconds(100))
  }

  @Test("does not fire what was canceled") func cancel() {
    let (clock, log) = (VirtualClock(), Log())
    let timer = clock.schedule(at: .seconds(1)) { log.add("cancelled") }
    clock.schedule(at: .seconds(1)) { log.add("kept") }
    clock.cancel(timer)
    clock.advance(by: .seconds(1))
    clock.cancel(timer)
    #expect(log.entries == ["kept"])
  }

  @Test("fires what an action sets, if it is due too") func nested() {
    let (clock, log) = (VirtualClock(), Log())
    clock.schedule(at: .seconds(1)) {
      log.add("outer")
      clock.schedule(at: clock.now + .seconds(1)) { log.add("inner@\(clock.now)") }
      clock.schedule(at: clock.now + .seconds(5)) { log.add("later") }
    }
    clock.advance(by: .seconds(3))
    #expect(log.entries == ["outer", "inner@2.0 seconds"])
  }

  @Test("goes from deadline to deadline") func steps() {
    let (clock, log) = (VirtualClock(), Log())
    clock.schedule(at: .seconds(30)) { log.add("a") }
    clock.schedule(at: .seconds(90)) { log.add("b") }
    #expect(clock.advanceToNextDeadline() && clock.now == .seconds(30) && log.entries == ["a"])
    #expect(clock.advanceToNextDeadline() && clock.now == .seconds(90) && log.entries == ["a", "b"])
    #expect(!clock.advanceToNextDeadline())
  }

  @Test("fires thousands of timers in the order of deadlines, and none that was canceled") func many() {
    let (clock, log) = (VirtualClock(), Log())
    var expected: [(deadline: Int, number: Int)] = []
    var random: UInt32 = 1
    for number in 0..<5000 {
      random = random &* 1_664_525 &+ 1_013_904_223
      let deadline = Int(random >> 20)
      let timer = clock.schedule(at: .milliseconds(deadline)) { log.add("\(number)") }
      if random >> 16 & 3 == 0 { clock.cancel(timer) } else { expected.append((deadline, number)) }
    }
    clock.advance(by: .seconds(10))
    let order = expected.sorted { $0 < $1 }.map { "\($0.number)" }
    #expect(log.entries == order)
    #expect(clock.nextDeadline == nil)
  }

  @Test("forgets timers that are set and canceled while it stands still") func canceledOnes() {
    let clock = VirtualClock()
    let kept = (0..<3).map { clock.schedule(at: .seconds($0 + 5)) {} }
    for _ in 0..<10_000 { clock.cancel(clock.schedule(at: .seconds(1)) {}) }
    #expect(clock.nextDeadline == .seconds(5))
    clock.cancel(kept[0])
    #expect(clock.nextDeadline == .seconds(6))
  }
}
