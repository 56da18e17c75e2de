import Glibc
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeySystem
import Synchronization

/// A terminal during a prompt: without echo, and unbuffered.
final class Terminal {
  private let file: CInt
  private var before = termios()
  private var isChanged = false
  /// Whether restoring the terminal discards unread input.
  private var forgetsInput = true

  /// - Throws: `.notInteractive`, naming `LATCHKEY_ASKPASS`.
  init(_ path: String) throws(PresenceError) {
    file = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { throw Self.absence }
    guard isatty(file) == 1, tcgetattr(file, &before) == 0 else {
      close(file)
      throw Self.absence
    }
  }

  /// Whether there is a terminal at `path`.
  static func isThere(_ path: String) -> Bool {
    let file = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    return isatty(file) == 1
  }

  deinit {
    restore()
    close(file)
  }

  /// The original settings of changed terminals, by descriptor; nil once the process exits.
  private static let changed = Mutex<[CInt: (settings: termios, actions: CInt)]?>([:])

  /// Another thread may call exit(3) during a prompt, as a program's signal handler does.
  private static let restoresAtExit: Void = {
    atexit {
      let terminals = Terminal.changed.withLock { terminals in
        defer { terminals = nil }
        return terminals ?? [:]
      }
      for (file, before) in terminals {
        var settings = before.settings
        while tcsetattr(file, before.actions, &settings) != 0, errno == EINTR {}
      }
    }
  }()

  private static let absence = PresenceError.notInteractive(
    "there is no terminal to ask at: set LATCHKEY_ASKPASS to a program that asks")

  /// Restores the terminal's settings.
  func restore() {
    guard isChanged else { return }
    isChanged = false
    Self.changed.withLock { changed in
      guard changed?.removeValue(forKey: file) != nil else { return }
      while tcsetattr(file, forgetsInput ? TCSAFLUSH : TCSADRAIN, &before) != 0, errno == EINTR {}
    }
  }

  /// Changes the terminal's settings, unless the process is exiting.
  ///
  /// - Throws: `.systemCancel` when it is exiting; `.notInteractive` when the terminal is gone.
  private func change(to settings: termios) throws(PresenceError) {
    _ = Self.restoresAtExit
    let actions = forgetsInput ? TCSAFLUSH : TCSADRAIN
    let isDone: Bool? = Self.changed.withLock { changed in
      guard changed != nil else { return nil }
      var settings = settings
      while tcsetattr(file, actions, &settings) != 0 { guard errno == EINTR else { return false } }
      changed?[file] = (before, actions)
      return true
    }
    guard let isDone else { throw .systemCancel }
    guard isDone else { throw Self.absence }
    isChanged = true
  }

  /// Shows a question and reads a line, until `wakeUp` is signaled.
  ///
  /// A line typed ahead answers a question with a visible answer, and input after the answer is left for the next reader. A
  /// secret must be typed after its question, as for getpass(3): earlier input was visible, and may have been meant for another
  /// question; later input may be a part of the secret, and would be visible. After ^C the pending input is discarded, as by
  /// the terminal's own ^C.
  ///
  /// - Throws: `.userCancel`; `.systemCancel` when woken; `.notInteractive` when the terminal is gone;
  ///   `.authenticationFailed` for a line that is too long.
  func ask(_ question: PresenceQuestion, until wakeUp: WakeUp, maximum: Int) throws(PresenceError) -> [UInt8] {
    var silent = before
    // ^C is read as a character, so that the terminal is restored before the process can end.
    silent.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
    withUnsafeMutableBytes(of: &silent.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    forgetsInput = question.isSecret
    // Changed before the question is shown, so that an immediate answer is neither echoed nor flushed.
    try change(to: silent)
    Self.write(question.text, to: file)
    defer { Self.write("\n", to: file) }
    var line = TypedLine(maximum: maximum)
    defer { line.wipe() }
    while true {
      var waited = [
        pollfd(fd: file, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&waited, 2, -1) < 0 {
        if errno == EINTR { continue }
        throw Self.absence
      }
      if waited[1].revents != 0 { throw .systemCancel }
      var byte: UInt8 = 0
      let count = read(file, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      guard count == 1 else { throw .notInteractive("the terminal was closed while it asked: try again") }
      switch line.type(byte) {
      case .more(let echo): if !question.isSecret { Self.write(echo, to: file) }
      case .done: return line.bytes
      case .cancelled:
        forgetsInput = true
        throw .userCancel
      case .tooLong: throw .authenticationFailed("an answer has at most \(maximum) bytes: try again")
      }
    }
  }

  static func write(_ text: String, to file: CInt) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}

/// A line during its input.
struct TypedLine {
  /// The effect of a character.
  enum Effect: Hashable {
    /// The line continues; the value is the echo, if input is visible.
    case more(String)
    case done
    case cancelled
    /// The line has ended and exceeds the maximum; all of it is consumed.
    case tooLong
  }

  private(set) var bytes: [UInt8] = []
  private let maximum: Int
  private var isTooLong = false

  init(maximum: Int) {
    self.maximum = maximum
    bytes.reserveCapacity(maximum)
  }

  mutating func type(_ byte: UInt8) -> Effect {
    switch byte {
    case 0x0A, 0x0D: return isTooLong ? .tooLong : .done
    // ^C and ^\, which are signals otherwise.
    case 0x03, 0x1C: return .cancelled
    // ^D
    case 0x04: return bytes.isEmpty ? .cancelled : isTooLong ? .tooLong : .done
    // Backspace, in both forms: removes the last character, including all of its bytes.
    case 0x08, 0x7F:
      guard !bytes.isEmpty else { return .more("") }
      while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
      return .more("\u{8} \u{8}")
    // ^U
    case 0x15:
      let shown = bytes.count(where: { $0 & 0xC0 != 0x80 })
      wipe()
      bytes.removeAll(keepingCapacity: true)
      isTooLong = false
      return .more(String(repeating: "\u{8} \u{8}", count: shown))
    case 0..<0x20: return .more("")
    default:
      guard !isTooLong, bytes.count < maximum else {
        isTooLong = true
        return .more("")
      }
      bytes.append(byte)
      return .more(lastCharacter)
    }
  }

  /// The last character of the line once it is complete; empty for a control character.
  private var lastCharacter: String {
    guard let start = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }),
      let text = String(validating: bytes[start...], as: UTF8.self)
    else { return "" }
    return PrintableText.oneLine(text) == text ? text : ""
  }

  mutating func wipe() { bytes.wipe() }
}
