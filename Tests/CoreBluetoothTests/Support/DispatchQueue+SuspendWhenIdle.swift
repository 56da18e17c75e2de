import Dispatch

extension DispatchQueue {
  /// Suspends the queue between two blocks.
  ///
  /// `suspend()` alone lets a block end that runs already, and one block may deliver several events: those that are added to it meanwhile, too.
  func suspendWhenIdle() { sync { suspend() } }
}
