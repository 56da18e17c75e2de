import Glibc
import Synchronization

/// The settings of the terminal while lines are edited: each key is read at once, and is not echoed.
enum TerminalMode {
  /// The settings before; nil while they are in force. At the end of the process: nil for good.
  private static let before = Mutex<termios?>(nil)
  private static let isEnding = Atomic(false)

  private static let restoresAtExit: Void = {
    atexit {
      TerminalMode.isEnding.store(true, ordering: .sequentiallyConsistent)
      TerminalMode.restore()
    }
  }()

  /// Has keys sent at once. ^C still interrupts; ^Z and ^\ are keys, so that the terminal is restored before they act.
  ///
  /// - Returns: false if the terminal refuses.
  static func edit() -> Bool {
    _ = restoresAtExit
    return before.withLock { before in
      var settings = termios()
      guard !isEnding.load(ordering: .sequentiallyConsistent), before == nil,
        tcgetattr(STDIN_FILENO, &settings) == 0
      else { return false }
      before = settings
      settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
      settings.c_iflag &= ~tcflag_t(ICRNL | INLCR | IXON)
      withUnsafeMutableBytes(of: &settings.c_cc) { characters in
        characters[Int(VMIN)] = 1
        characters[Int(VTIME)] = 0
        characters[Int(VSUSP)] = 0
        characters[Int(VQUIT)] = 0
      }
      return apply(settings)
    }
  }

  /// Restores the settings, if they were changed.
  static func restore() {
    before.withLock { before in
      guard let settings = before else { return }
      before = nil
      _ = apply(settings)
    }
  }

  /// How many columns the terminal has.
  static var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private static func apply(_ settings: termios) -> Bool {
    var settings = settings
    while tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) != 0 { guard errno == EINTR else { return false } }
    return true
  }
}
