/// How a batch is tried: all of its writes together, up to a number of times; if that fails, one by one, each as often, so that
/// a write that cannot be committed takes no other with it. No clock: the caller says when it is too late.
package struct CommitAttempts {
  /// What the caller does with the batch next.
  package enum Step: Hashable, Sendable {
    /// It tries these writes in one transaction.
    case attempt(Range<Int>, failures: Int)
    /// These writes end with their failure.
    case giveUp(Range<Int>)
    /// Every write has its answer.
    case done
  }

  private let count: Int
  private let tries: Int
  private var isTogether: Bool
  private var range: Range<Int>
  private var failures = 0
  private var isOver = false

  /// - Parameters:
  ///   - count: the writes of the batch.
  ///   - tries: how often the batch, and then each write, is tried; at least once.
  package init(count: Int, tries: Int) {
    self.count = count
    self.tries = max(1, tries)
    isTogether = count > 1
    range = 0..<count
  }

  /// The next step; it stays the same until its outcome is reported.
  package var step: Step {
    if range.isEmpty { return .done }
    return isOver ? .giveUp(range) : .attempt(range, failures: failures)
  }

  /// The writes of the step have their answers.
  ///
  /// - Parameter isLate: whether the time for further attempts is over.
  package mutating func settle(isLate: Bool = false) {
    let next = range.upperBound
    begin(next..<min(next + 1, count), isLate: isLate)
  }

  /// The attempt failed, and the writes of the step have no answers.
  package mutating func fail(isLate: Bool = false) {
    failures += 1
    if failures < tries, !isLate { return }
    guard isTogether else {
      isOver = true
      return
    }
    isTogether = false
    begin(0..<1, isLate: isLate)
  }

  private mutating func begin(_ next: Range<Int>, isLate: Bool) {
    (range, failures, isOver) = (next, 0, isLate)
  }
}
