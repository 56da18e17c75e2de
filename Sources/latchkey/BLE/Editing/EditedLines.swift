import Foundation
import Glibc
import LatchkeyCommandLine
import LatchkeyProcessEnvironment
import Synchronization

/// Lines that a user types at a terminal, with history, completion and a prompt; what is printed meanwhile stands above the prompt.
///
/// The terminal sends each key while a line is edited, and makes signals of ^C as before. `restore()`, and each way out of the process by
/// exit(3), restores its settings.
final class EditedLines: Sendable {
  private struct State {
    var editor: LineEditor
    /// Whether the prompt stands on the screen.
    var isPrompting = false
    /// Whether nothing more is written: the terminal is as it was.
    var isOver = false
  }

  private static let prompt = "> "
  private let state: Mutex<State>
  private let turns = DispatchSemaphore(value: 0)

  /// - Parameter complete: what may stand for the last word of a line.
  /// - Returns: nil if standard input or standard error is no terminal, or one that cannot move its cursor.
  init?(complete: @escaping @Sendable (String) -> LineEditor.Completion) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1, let name = Environment["TERM"], !name.isEmpty,
      name != "dumb"
    else { return nil }
    state = Mutex(State(editor: LineEditor(maximum: InputLines.limit, complete: complete)))
    guard TerminalMode.edit() else { return nil }
    StandardStreams.surround { [weak self] write in
      if let self { printAside(write) } else { write() }
    }
  }

  /// The lines, for one reader. After each it calls `ask()`, and the prompt comes again.
  func stream() -> AsyncStream<InputLines.Line> {
    let (lines, continuation) = AsyncStream<InputLines.Line>.makeStream()
    Thread.detachNewThread { [self] in
      var keys = Keys()
      while let line = next(&keys) {
        if case .terminated = continuation.yield(.text(line)) { return }
        turns.wait()
      }
      continuation.finish()
    }
    return lines
  }

  /// Asks for the next line.
  func ask() { turns.signal() }

  /// Restores the terminal, and has lines printed as before.
  func restore() {
    StandardStreams.surround(with: nil)
    state.withLock { state in
      if state.isPrompting { Self.write(EditorView.clear) }
      state.isPrompting = false
      state.isOver = true
      TerminalMode.restore()
    }
  }

  // MARK: The screen

  private func printAside(_ write: () -> Void) {
    state.withLock { state in
      guard state.isPrompting else { return write() }
      Self.write(EditorView.clear)
      write()
      Self.show(state)
    }
  }

  private static func show(_ state: State) {
    write(
      EditorView.row(prompt: prompt, state.editor.text, cursor: state.editor.cursor, columns: TerminalMode.columns))
  }

  private static func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  // MARK: Keys

  /// The bytes of the terminal.
  private struct Keys {
    private var decoder = KeyDecoder()
    private var chunk: [UInt8] = []
    private var place = 0

    /// The next key; nil at the end of the input.
    mutating func next() -> KeyDecoder.Key? {
      while true {
        if place == chunk.count {
          chunk = [UInt8](repeating: 0, count: 4096)
          place = 0
          let count = read(STDIN_FILENO, &chunk, chunk.count)
          let code = errno
          chunk.removeSubrange(max(count, 0)...)
          if count < 0, code == EINTR { continue }
          guard count > 0 else { return nil }
        }
        place += 1
        if let key = decoder.feed(chunk[place - 1]) { return key }
      }
    }
  }

  /// Prompts for a line, and edits it; nil at the end of the input.
  private func next(_ keys: inout Keys) -> String? {
    let isOver = state.withLock { state in
      guard !state.isOver else { return true }
      state.isPrompting = true
      Self.show(state)
      return false
    }
    guard !isOver else { return nil }
    while let key = keys.next() {
      let effect = state.withLock { state in press(key, &state) }
      switch effect {
      case .line(let line): return line
      case .end: return nil
      case .suspend: suspend()
      case .quit:
        restore()
        Self.act(SIGQUIT)
      case .changed, .nothing, .clearScreen, .candidates: break
      }
    }
    return nil
  }

  /// Does what a key says, and shows what has become of the line.
  private func press(_ key: KeyDecoder.Key, _ state: inout State) -> LineEditor.Effect {
    guard !state.isOver else { return .end }
    let before = state
    let effect = state.editor.press(key)
    switch effect {
    case .changed: Self.show(state)
    case .nothing: Self.write("\u{7}")
    case .clearScreen:
      Self.write("\u{1B}[H\u{1B}[2J")
      Self.show(state)
    case .candidates(let words):
      Self.write(EditorView.clear + EditorView.list(words, columns: TerminalMode.columns))
      Self.show(state)
    case .line, .end:
      // The whole line stays on the screen, as it was typed.
      Self.show(before)
      Self.write("\n")
      state.isPrompting = false
    case .suspend, .quit: break
    }
    return effect
  }

  /// Stops the process, as ^Z does elsewhere, and goes on with the same line.
  private func suspend() {
    state.withLock { state in
      Self.write(EditorView.clear)
      TerminalMode.restore()
      // The others of the pipeline first.
      signal(SIGTSTP, SIG_IGN)
      kill(0, SIGTSTP)
      Self.act(SIGTSTP)
      guard !state.isOver else { return }
      _ = TerminalMode.edit()
      Self.show(state)
    }
  }

  /// Has a signal do what it does by default, before the next line: by a signal to this thread, which blocks all unless told otherwise.
  private static func act(_ number: CInt) {
    signal(number, SIG_DFL)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
  }
}
