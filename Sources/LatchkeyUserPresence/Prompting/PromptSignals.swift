import Glibc
import Synchronization

/// Where the handler writes; -1: nowhere.
private let handlerPipe = Atomic<CInt>(-1)
/// The last signal that came; 0: none.
private let handlerSignal = Atomic<CInt>(0)

/// Keeps signals that would end the process, or stop it, until the terminal is as it was. Signals for which the program
/// has handlers of its own, or which it ignores, stay as they are. One exists at a time (``PromptTurns``).
struct PromptSignals {
  private static let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP]
  private var before: [(signal: CInt, action: sigaction)] = []

  /// From here on a signal wakes `wake`, and nothing else.
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

  /// Signals do what they did before; one that came meanwhile does it now.
  ///
  /// - Returns: that signal, if the process goes on; 0 for none.
  func endAndRaise() -> CInt {
    for (signal, action) in before {
      var action = action
      _ = sigaction(signal, &action, nil)
    }
    handlerPipe.store(-1, ordering: .sequentiallyConsistent)
    let signal = handlerSignal.exchange(0, ordering: .sequentiallyConsistent)
    guard signal != 0 else { return 0 }
    kill(getpid(), signal)
    // Another thread may be the one that gets it: nothing else is to end the process before.
    poll(nil, 0, 1000)
    return signal
  }
}
