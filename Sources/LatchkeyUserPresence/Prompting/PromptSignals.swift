import Glibc
import LatchkeySystem
import Synchronization

/// The descriptor of the wake-up that the handler signals; -1: none.
private let handlerWakeUp = Atomic<CInt>(-1)
/// The last signal that came; 0: none.
private let handlerSignal = Atomic<CInt>(0)

/// Defers signals that would end or stop the process until the terminal is restored. Signals that the program handles or
/// ignores are unaffected. Only one instance exists at a time (``PromptTurns``).
struct PromptSignals {
  private static let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP]
  private var before: [(signal: CInt, action: sigaction)] = []

  /// From here on a signal of the system signals `wakeUp`, and does nothing else.
  init(_ wakeUp: WakeUp) {
    handlerSignal.store(0, ordering: .sequentiallyConsistent)
    handlerWakeUp.store(wakeUp.descriptor, ordering: .sequentiallyConsistent)
    for signal in Self.signals {
      var old = sigaction()
      guard sigaction(signal, nil, &old) == 0, old.sa_flags & SA_SIGINFO == 0,
        old.__sigaction_handler.sa_handler == nil
      else { continue }
      var new = sigaction()
      new.__sigaction_handler.sa_handler = { signal in
        let code = errno
        handlerSignal.store(signal, ordering: .sequentiallyConsistent)
        let descriptor = handlerWakeUp.load(ordering: .sequentiallyConsistent)
        if descriptor >= 0 { WakeUp.signal(descriptor) }
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
    handlerWakeUp.store(-1, ordering: .sequentiallyConsistent)
    let signal = handlerSignal.exchange(0, ordering: .sequentiallyConsistent)
    guard signal != 0 else { return 0 }
    kill(getpid(), signal)
    // Another thread may receive the signal; wait so that nothing else ends the process first.
    poll(nil, 0, 1000)
    return signal
  }
}
