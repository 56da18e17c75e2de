import LatchkeyTestSupport
import Foundation
import Glibc
import LatchkeyKeychainModel
import LatchkeySystem
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

@Suite("Presence: programs that ask") struct PresenceAskpassTests {
  private let question = PresenceQuestion(.passcode, reason: "sign a test", complaint: "that was wrong")

  private func program(_ folder: Folder, _ script: String) throws -> AskpassPrompter {
    AskpassPrompter(path: try folder.write("ask", Array("#!/bin/sh\n\(script)\n".utf8), mode: 0o700))
  }

  @Test("give the first line, and get the question as one argument and the environment") func answers() throws {
    let folder = try Folder()
    let script = "printf '%s' \"$#:$1\" > '\(folder.path)/question'; echo \"$HOME\" > '\(folder.path)/home'; "
    let prompter = try program(folder, script + "printf 'p\\303\\244ss word\\nsecond\\n'")
    #expect(try prompter.answer(question, cancellation: Cancellation()) == Array("päss word".utf8))
    let asked = try String(contentsOfFile: folder.path + "/question", encoding: .utf8)
    #expect(asked == "1:that was wrong\nsign a test\nPasscode of the keychain: ")
    let home = try String(contentsOfFile: folder.path + "/home", encoding: .utf8)
    #expect(home == (ProcessInfo.processInfo.environment["HOME"] ?? "") + "\n")
    for (script, answer) in [("printf abc", "abc"), ("printf 'abc\\r\\n'", "abc"), ("true", ""), ("echo", "")] {
      let folder = try Folder()
      #expect(
        try self.program(folder, script).answer(question, cancellation: Cancellation()) == Array(answer.utf8),
        "\(script)")
    }
  }

  @Test("that end otherwise have canceled, whatever they wrote") func cancelled() throws {
    let folder = try Folder()
    for script in ["echo secret; exit 1", "exit 255"] {
      #expect(
        presenceError { try program(folder, script).answer(question, cancellation: Cancellation()) } == .userCancel)
    }
    #expect(
      presenceError { try program(folder, "kill -9 $$").answer(question, cancellation: Cancellation()) }
        == .systemCancel)
  }

  @Test("that write more than a line of 1024 bytes are refused, and end however much they write") func tooLong() throws
  {
    let folder = try Folder()
    let longest = try program(folder, "head -c 1024 /dev/zero | tr '\\0' a; echo")
    #expect(try longest.answer(question, cancellation: Cancellation()).count == 1024)
    let longer = try program(folder, "head -c 1025 /dev/zero | tr '\\0' a; echo")
    let error = presenceError { try longer.answer(question, cancellation: Cancellation()) }
    #expect(error.isRefusal && error?.description.contains("aaaa") == false)
    let endless = try program(folder, "exec yes")
    #expect(presenceError { try endless.answer(question, cancellation: Cancellation()) } == .systemCancel)
  }

  @Test("that cannot be run are named, with the variable") func absent() throws {
    let folder = try Folder()
    let plain = try folder.write("plain", [0], mode: 0o600)
    for path in [folder.path + "/nothing", plain, folder.path, ""] {
      let error = presenceError {
        try AskpassPrompter(path: path).answer(question, cancellation: Cancellation())
      }
      #expect(error.isNotInteractive && error?.description.contains("LATCHKEY_ASKPASS") == true)
    }
  }

  @Test("are killed when the call is canceled", .timeLimit(.minutes(2))) func killed() throws {
    let folder = try Folder()
    try #require(mkfifo(folder.path + "/started", 0o600) == 0)
    let prompter = try program(folder, "echo $$ > '\(folder.path)/started'; exec sleep 1000")
    let (question, cancellation) = (question, Cancellation())
    let call = Call { try prompter.answer(question, cancellation: cancellation) }
    let started = open(folder.path + "/started", O_RDONLY | O_CLOEXEC)
    let number = try FilePaths.readAll(started, maximum: 32)
    close(started)
    cancellation.cancel()
    #expect(presenceError { try call.value() } == .appCancel)
    let process = try #require(pid_t(String(decoding: number.dropLast(), as: UTF8.self)))
    #expect(kill(process, 0) != 0, "it is gone")
    #expect(presenceError { try prompter.answer(question, cancellation: cancellation) } == .appCancel)
  }
}

@Suite("Presence: texts and lines") struct PresenceTextTests {
  @Test("nothing in a question steers a terminal") func plain() {
    let question = PresenceQuestion(
      .service("Code\u{1B}]0;x\u{7}: ", isSecret: false), reason: "a\u{1B}[2Jb\nc\u{202E}d", complaint: "\r\0")
    #expect(question.text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    #expect(!question.text.contains("\u{202E}") && question.text.split(separator: "\n").count == 3)
  }

  @Test("a line is edited by characters") func editing() {
    func line(_ typed: [UInt8]) -> (TypedLine.Effect, [UInt8]) {
      var line = TypedLine(maximum: 8)
      for byte in typed {
        let effect = line.type(byte)
        if case .more = effect { continue }
        return (effect, line.bytes)
      }
      return (.more(""), line.bytes)
    }
    #expect(line([0x61, 0x62, 0x0D]) == (.done, [0x61, 0x62]))
    #expect(line([0x61, 0xC3, 0xA4, 0x7F, 0x0A]) == (.done, [0x61]))
    #expect(line([0x7F, 0x08, 0x61, 0x0A]) == (.done, [0x61]))
    #expect(line([0x61, 0x62, 0x15, 0x63, 0x0A]) == (.done, [0x63]))
    #expect(line([0x61, 0x03]).0 == .cancelled && line([0x1C]).0 == .cancelled && line([0x04]).0 == .cancelled)
    #expect(line([0x61, 0x01, 0x1A, 0x00, 0x0A]) == (.done, [0x61]))
    // Such a line is read to its end; ^U begins it anew.
    let long = [UInt8](repeating: 0x61, count: 9)
    #expect(line(long) == (.more(""), Array(long.dropLast())))
    #expect(line(long + [0x62, 0x0A]).0 == .tooLong && line(long + [0x04]).0 == .tooLong)
    #expect(line(long + [0x7F, 0x7F, 0x0A]).0 == .tooLong)
    #expect(line(long + [0x15, 0x62, 0x0A]) == (.done, [0x62]))
    #expect(line(long + [0x03]).0 == .cancelled)
  }

  @Test("a character is shown once it is whole, and one that would steer the terminal is not") func echo() {
    func shown(_ typed: String) -> [String] {
      var line = TypedLine(maximum: 64)
      return typed.utf8.map { byte in
        if case .more(let echo) = line.type(byte) { echo } else { "?" }
      }
    }
    #expect(shown("aü日😀") == ["a", "", "ü", "", "", "日", "", "", "", "😀"])
    #expect(shown("\u{9B}\u{202E}") == ["", "", "", "", ""])
    #expect(shown("ü\u{7F}") == ["", "ü", "\u{8} \u{8}"])
    var line = TypedLine(maximum: 8)
    #expect([0xFF, 0xBC, 0x61].map { line.type($0) } == [.more(""), .more(""), .more("a")])
  }

  @Test("no terminal: the error names LATCHKEY_ASKPASS") func noTerminal() throws {
    let folder = try Folder()
    for path in [try folder.write("file", []), "/dev/null", folder.path + "/nothing"] {
      let prompter = TerminalPrompter(path: path)
      let error = presenceError {
        try prompter.answer(PresenceQuestion(.passcode, reason: "test"), cancellation: Cancellation())
      }
      #expect(error.isNotInteractive && error?.description.contains("LATCHKEY_ASKPASS") == true)
      prompter.show("nobody sees this")
    }
    #expect(
      try folder.names() == ["file"] && FileManager.default.contents(atPath: folder.path + "/file")?.isEmpty == true)
  }
}

/// A pseudo-terminal whose other end the test holds.
private final class PseudoTerminal: Sendable {
  let file: CInt
  let path: String

  init?() {
    typealias Name = @convention(c) (CInt) -> UnsafeMutablePointer<CChar>?
    typealias Grant = @convention(c) (CInt) -> CInt
    file = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard file >= 0, let unlock = dlsym(nil, "unlockpt"), let name = dlsym(nil, "ptsname"),
      unsafeBitCast(unlock, to: Grant.self)(file) == 0, let path = unsafeBitCast(name, to: Name.self)(file)
    else { return nil }
    self.path = String(cString: path)
  }

  deinit { close(file) }

  func type(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) } }

  /// What is shown, up to and with `end`, byte for byte: "\\r\\n" is one character of a Swift string.
  func shown(until end: String) -> [UInt8] {
    let end = Array(end.utf8)
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while !bytes.suffix(end.count).elementsEqual(end), read(file, &byte, 1) == 1 { bytes.append(byte) }
    return bytes
  }

  var isEchoing: Bool {
    var settings = termios()
    let terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(terminal) }
    return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
      && settings.c_lflag & tcflag_t(ICANON) != 0 && settings.c_lflag & tcflag_t(ISIG) != 0
  }
}

@Suite("Presence: the terminal", .timeLimit(.minutes(2))) struct PresenceTerminalTests {
  private let question = PresenceQuestion(.passcode, reason: "sign a test")
  private let label = "Passcode of the keychain: "

  private func ask(_ body: (PseudoTerminal, Call<[UInt8]>, Cancellation) throws -> Void) throws {
    guard let terminal = PseudoTerminal() else { return print("skipped: this system gives no pseudo-terminal") }
    // Held open, so that the settings outlive the prompter.
    let held = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(held) }
    let (prompter, question, cancellation) = (TerminalPrompter(path: terminal.path), question, Cancellation())
    let call = Call { try prompter.answer(question, cancellation: cancellation) }
    #expect(terminal.shown(until: label) == Array("sign a test\r\n\(label)".utf8))
    #expect(!terminal.isEchoing)
    try body(terminal, call, cancellation)
    #expect(terminal.isEchoing, "it is as it was")
  }

  @Test("reads a line without echo") func line() throws {
    try ask { (terminal, call, _) throws in
      terminal.type("sesamx\u{7F}e\r")
      #expect(try call.value() == Array("sesame".utf8))
      #expect(terminal.shown(until: "\n") == [0x0D, 0x0A])
    }
  }

  @Test("is put back when the user cancels") func cancelledByUser() throws {
    for key in ["\u{3}", "abc\u{3}", "\u{4}", "\u{1C}"] {
      try ask { (terminal, call, _) throws in
        terminal.type(key)
        #expect(presenceError { try call.value() } == .userCancel)
      }
    }
  }

  @Test("is put back when the call is canceled") func cancelledByCall() throws {
    try ask { (terminal, call, cancellation) throws in
      terminal.type("half a pass")
      cancellation.cancel()
      #expect(presenceError { try call.value() } == .appCancel)
    }
  }

  @Test(
    "keeps lines that were typed ahead for questions whose answers are shown, and for no secret",
    arguments: [false, true])
  func typedAhead(isSecret: Bool) throws {
    guard let terminal = PseudoTerminal() else { return print("skipped: this system gives no pseudo-terminal") }
    let held = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(held) }
    let prompter = TerminalPrompter(path: terminal.path)
    func ask(_ text: String, isSecret: Bool) -> Call<[UInt8]> {
      Call {
        try prompter.answer(
          PresenceQuestion(.service(text, isSecret: isSecret), reason: ""), cancellation: Cancellation())
      }
    }
    terminal.type("one\ntwo\nthree\n")
    #expect(try ask("First: ", isSecret: false).value() == Array("one".utf8))
    #expect(terminal.shown(until: "First: one\r\n").suffix(2) == [0x0D, 0x0A])
    let second = ask("Second: ", isSecret: isSecret)
    _ = terminal.shown(until: "Second: ")
    if isSecret { terminal.type("by hand\rbehind it\r") }
    #expect(try second.value() == Array((isSecret ? "by hand" : "two").utf8))
    let third = ask("Third: ", isSecret: false)
    _ = terminal.shown(until: "Third: ")
    if isSecret { terminal.type("shown\r") }
    #expect(try third.value() == Array((isSecret ? "shown" : "three").utf8))
    // What stands behind ^C went with it.
    let cancelled = ask("Fourth: ", isSecret: false)
    _ = terminal.shown(until: "Fourth: ")
    terminal.type("half\u{3}lost\r")
    #expect(presenceError { try cancelled.value() } == .userCancel)
    let last = ask("Last: ", isSecret: false)
    _ = terminal.shown(until: "Last: ")
    terminal.type("kept\r")
    #expect(try last.value() == Array("kept".utf8))
    #expect(terminal.isEchoing)
  }

  @Test("has one question at a time; one that waits can be canceled") func turns() throws {
    try ask { (terminal, call, _) throws in
      let (prompter, question, waiting) = (TerminalPrompter(path: terminal.path), question, Cancellation())
      let second = Call { try prompter.answer(question, cancellation: waiting) }
      waiting.cancel()
      let end = presenceError { try second.value() }
      #expect(end == .appCancel)
      terminal.type("first\r")
      #expect(try call.value() == Array("first".utf8))
    }
  }
}
