private import Synchronization

/// The evaluator of this process. A linked module installs one when the program is loaded; the program may choose another,
/// or none, at any time.
package enum TrustEvaluatorRegistry {
  private struct State {
    var linked: (any TrustEvaluator)?
    var choice: Choice?
  }
  private static let state = Mutex(State())

  /// The program's choice of evaluator, which overrides the linked one.
  package enum Choice: Sendable {
    /// No evaluator, as in a program that links none.
    case none
    /// This evaluator.
    case evaluator(any TrustEvaluator)

    fileprivate var evaluator: (any TrustEvaluator)? {
      switch self {
      case .none: nil
      case .evaluator(let evaluator): evaluator
      }
    }
  }

  /// The choice of one test during its run; invisible to other tests of the process.
  @TaskLocal package static var replacement: Choice?

  /// The current evaluator: a test's, else the program's choice, else the linked one; nil if there is none.
  package static var evaluator: (any TrustEvaluator)? {
    if let replacement { return replacement.evaluator }
    return state.withLock { state in state.choice.map { $0.evaluator } ?? state.linked }
  }

  /// Installs the evaluator of a linked module. An explicit choice overrides it, regardless of the order of calls.
  package static func install(_ evaluator: any TrustEvaluator) { state.withLock { $0.linked = evaluator } }

  /// Chooses the evaluator of the whole process. Running evaluations continue with the evaluator they started with.
  package static func choose(_ choice: Choice) { state.withLock { $0.choice = choice } }
}
