import LatchkeyTestSupport
import Foundation
import Testing

/// How questions at a terminal end, whichever command asks.
@Suite(.timeLimit(.minutes(5))) struct TerminalPromptTests {
  private let place: CommandFolder
  private var folder: URL { place.url }
  private var environment: [String: String] { place.environment }

  init() throws { place = try CommandFolder() }

  /// A command, and what it asks.
  struct Question: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    var prompt: String
    var testDescription: String { arguments.prefix(2).joined(separator: " ") }
  }

  static let questions = [
    Question(
      arguments: ["keychain", "add-generic-password", "-a", "alice", "-s", "mail"], prompt: "Password for the item: "),
    Question(arguments: ["keychain", "set-passcode"], prompt: "New passcode: "),
    Question(
      arguments: ["provision", "--legacy", "--hci", "unix-client:nowhere", "--name", "Lamp", "--ssid", "Home"],
      prompt: "Password: "),
    Question(arguments: ["enroll", "https://localhost:1", "--user", "demo"], prompt: "Password of demo: "),
  ]

  private func start(_ question: Question) throws -> TerminalSession {
    let session = try TerminalSession(question.arguments, folder: folder, environment: environment)
    try session.wait(for: question.prompt)
    return session
  }

  @Test("^C, ^\\ and ^D end with 130", arguments: questions, ["halb\u{3}", "\u{1C}", "\u{4}"])
  func cancelled(question: Question, keys: String) throws {
    let session = try start(question)
    session.type(keys)
    #expect(session.end() == 130)
    #expect(session.isAsBefore)
    #expect(session.screen.contains("canceled"))
    #expect(!session.screen.contains("halb"))
  }

  @Test("Signals end it as anywhere else", arguments: questions, [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
  func signaled(question: Question, signal: Int32) throws {
    let session = try start(question)
    session.type("halb")
    try session.signal(signal)
    #expect(session.end() == 128 + signal)
    #expect(session.isAsBefore)
    #expect(!session.screen.contains("halb"))
  }

  @Test("A process that is stopped asks again when it goes on", arguments: questions)
  func stopped(question: Question) throws {
    let session = try start(question)
    session.type("halb")
    try session.signal(SIGTSTP)
    try session.wait(for: question.prompt)
    session.type("\u{3}")
    #expect(session.end() == 130)
    #expect(session.isAsBefore)
    #expect(!session.screen.contains("halb"))
  }

  @Test("A program that ends by a handler of its own leaves the terminal as it was") func exitsMeanwhile() throws {
    let program = BuiltCommand.program.deletingLastPathComponent().appendingPathComponent("keychain-worker")
    let session = try TerminalSession(
      ["program", "ask"], program: program, folder: folder, environment: environment)
    try session.wait(for: "Secret: ")
    session.type("halb")
    try session.signal(SIGTERM)
    #expect(session.end() == 143)
    #expect(session.isAsBefore)
    #expect(!session.screen.contains("halb"))
  }

  @Test("Input typed before a secret's prompt, or after its answer, is not read as the secret", arguments: questions)
  func nothingTypedAheadIsASecret(question: Question) throws {
    let session = try TerminalSession(
      question.arguments, folder: folder, environment: environment, typedAhead: "typed ahead\n")
    try session.wait(for: question.prompt)
    session.type("\u{3}")
    #expect(session.end() == 130)
    #expect(session.isAsBefore)
  }

  @Test("A line behind a secret's answer does not answer the next question")
  func nothingBehindASecretIsOne() throws {
    let session = try start(Self.questions[1])
    session.type("a long passcode\nanother passcode\n")
    try session.answer("again: ", with: "a long passcode")
    #expect(session.end() == 0)
    #expect(!session.screen.contains("passcode\r") && session.isAsBefore)
  }

  @Test("A user who cancels the first question of `enroll` has no keychain")
  func nothingIsMade() throws {
    let session = try start(Self.questions[3])
    session.type("\u{3}")
    #expect(session.end() == 130)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("JSON output reports the interruption, too")
  func json() throws {
    var question = Self.questions[0]
    question.arguments.append("--json")
    let session = try start(question)
    session.type("\u{3}")
    #expect(session.end() == 130)
    #expect(session.screen.contains("{\"event\":\"error\",\"code\":\"interrupted\""))
  }

  @Test("A guarded key's question ends so, too", arguments: [true, false])
  func guardedKey(isCancelled: Bool) throws {
    var environment = environment
    environment["LATCHKEY_ENCLAVE"] = "software"
    try PreparedKeychain.empty.get().write(to: folder)
    let made = try TerminalSession(
      ["enclave", "create", "build", "--guard", "user-presence"], folder: folder, environment: environment)
    try made.answer("the keychain is locked\r\nPasscode of the keychain: ", with: "a long passcode")
    #expect(made.end() == 0)
    let file = folder.appendingPathComponent("release").path
    try Data("the release".utf8).write(to: URL(fileURLWithPath: file))
    let session = try TerminalSession(
      ["enclave", "sign", "build", "-x", file], folder: folder, environment: environment)
    try session.answer("the keychain is locked\r\nPasscode of the keychain: ", with: "a long passcode")
    try session.wait(for: "sign with the key build\r\nPasscode of the keychain: ")
    session.type(isCancelled ? "\u{3}" : "a long passcode\n")
    #expect(session.end() == (isCancelled ? 130 : 0))
    #expect(session.isAsBefore)
  }
}
