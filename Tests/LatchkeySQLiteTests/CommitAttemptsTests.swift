import LatchkeySQLite
import Testing

struct CommitAttemptsTests {
  /// The steps of a batch, where `fails` says which ranges fail at which attempt, and `isLate` after how many attempts it is too late.
  private func steps(
    count: Int, tries: Int, late: Int = .max, fails: (Range<Int>, Int) -> Bool
  ) -> [CommitAttempts.Step] {
    var attempts = CommitAttempts(count: count, tries: tries)
    var steps: [CommitAttempts.Step] = []
    var made = 0
    while attempts.step != .done, steps.count < 100 {
      steps.append(attempts.step)
      switch attempts.step {
      case .attempt(let range, let failures):
        made += 1
        if fails(range, failures) { attempts.fail(isLate: made >= late) } else { attempts.settle(isLate: made >= late) }
      default: attempts.settle(isLate: made >= late)
      }
    }
    return steps
  }

  @Test("A batch that succeeds is tried once", arguments: [1, 5]) func success(_ count: Int) {
    #expect(steps(count: count, tries: 8) { _, _ in false } == [.attempt(0..<count, failures: 0)])
  }

  @Test("An empty batch is done") func empty() {
    #expect(CommitAttempts(count: 0, tries: 1).step == .done)
  }

  @Test("A batch is tried again as a whole, and then each write alone") func oneByOne() {
    #expect(
      steps(count: 2, tries: 2) { range, _ in range.count == 2 } == [
        .attempt(0..<2, failures: 0), .attempt(0..<2, failures: 1), .attempt(0..<1, failures: 0),
        .attempt(1..<2, failures: 0),
      ])
  }

  @Test("A write that cannot be committed takes no other with it") func oneFails() {
    #expect(
      steps(count: 3, tries: 1) { range, _ in range.contains(1) } == [
        .attempt(0..<3, failures: 0), .attempt(0..<1, failures: 0), .attempt(1..<2, failures: 0), .giveUp(1..<2),
        .attempt(2..<3, failures: 0),
      ])
  }

  @Test("A batch of one ends after its tries", arguments: [0, 1, 3]) func alone(_ tries: Int) {
    let attempts = (0..<max(1, tries)).map { CommitAttempts.Step.attempt(0..<1, failures: $0) }
    #expect(steps(count: 1, tries: tries) { _, _ in true } == attempts + [.giveUp(0..<1)])
  }

  @Test("Nothing is tried any more when it is late") func late() {
    #expect(
      steps(count: 2, tries: 8, late: 1) { _, _ in true } == [
        .attempt(0..<2, failures: 0), .giveUp(0..<1), .giveUp(1..<2),
      ])
    #expect(
      steps(count: 3, tries: 1, late: 2) { range, _ in range.count > 1 } == [
        .attempt(0..<3, failures: 0), .attempt(0..<1, failures: 0), .giveUp(1..<2), .giveUp(2..<3),
      ])
  }
}
