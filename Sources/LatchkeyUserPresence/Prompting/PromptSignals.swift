import Glibc
import Synchronization

/// The descriptor to which the handler writes; -1: none.
private let handlerPipe = Atomic<CInt>(-1)
/// The last signal received; 0: none.
private let handlerSignal = Atomic<CInt>(0)

/// Defers signals that would end or stop the process until the terminal is restored. Signals that the program handles or
/// ignores are unaffected. Only one instance exists at a time (``PromptTurns``).
struct PromptSignals {
  private static let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP]
  private var before: [(signal: CInt, action: sigaction)] = []

  /// From here on, a signal only wakes `wake`.
  init(_ wake: WakePipe) {
    handlerSignal.store(0, ordering: .sequentiallyConsistent)
    handlerPipe.store(wake.writing, ordering: .sequentiallyConsistent)
    for signal in Self.signals {
      var old = sigaction()
      guard sigaction(signal, nil, &old) == 0, old.sa_flags & SA_SIGINFO == 0,
        old.__sigaction_handler.sa_handler == nil
      else { continue }
      var new = sigaction()
      new.__sigaction_handler.sa_handler = { signal in
        let code = errno
        handlerSignal.store(signal, ordering: .sequentiallyConsistent)
        let pipe = handlerPipe.load(ordering: .sequentiallyConsistent)
        var byte: UInt8 = 1
        if pipe >= 0 { _ = write(pipe, &byte, 1) }
        errno = code
      }
      if sigaction(signal, &new, nil) == 0 { before.append((signal, old)) }
    }
  }

  /// Restores the previous signal actions, and raises a signal that was received meanwhile.
  ///
  /// - Returns: that signal, if the process continues; 0 for none.
  func endAndRaise() -> CInt {
    for (signal, action) in before {
      var action = action
      _ = sigaction(signal, &action, nil)
    }
    handlerPipe.store(-1, ordering: .sequentiallyConsistent)
    let signal = handlerSignal.exchange(0, ordering: .sequentiallyConsistent)
    guard signal != 0 else { return 0 }
    kill(getpid(), signal)
    // Another thread may receive the signal; wait so that nothing else ends the process first.
    poll(nil, 0, 1000)
    return signal
  }
}
