import LatchkeyTestSupport
import Foundation
import Testing

/// The prompts of the keychain's commands on a terminal.
@Suite(.timeLimit(.minutes(5))) struct KeychainPromptTests {
  private let place: CommandFolder
  private var folder: URL { place.url }
  private var environment: [String: String] { place.environment }

  init() throws { place = try CommandFolder() }

  private func start(_ arguments: String...) throws -> TerminalSession {
    try TerminalSession(["keychain"] + arguments, folder: folder, environment: environment)
  }

  private func run(_ arguments: String...) throws -> BuiltCommand.Result {
    try BuiltCommand.run(["keychain"] + arguments, input: [], folder: folder, environment: environment)
  }

  @Test("A new password is asked for twice and never shown", arguments: [[], ["-w"]])
  func newPassword(ending: [String]) throws {
    let session = try TerminalSession(
      ["keychain", "add-generic-password", "-a", "alice", "-s", "mail"] + ending, folder: folder,
      environment: environment)
    try session.answer("Password for the item: ", with: "-ke7 öffne dich")
    try session.answer("The same again: ", with: "-ke7 öffne dich")
    #expect(session.end() == 0)
    #expect(!session.screen.contains("ffne"))
    let found = try run("find-generic-password", "-s", "mail", "-w")
    #expect(found.output == "2d6b653720c3b666666e652064696368\n")
  }

  @Test("Two different answers add nothing")
  func differentAnswers() throws {
    let session = try start("add-generic-password", "-a", "alice", "-s", "mail")
    try session.answer("Password for the item: ", with: "geheim-1")
    try session.answer("The same again: ", with: "geheim-2")
    #expect(session.end() == 64)
    #expect(session.isAsBefore)
    #expect(session.screen.contains("latchkey: -w: what was typed twice is not the same: start again"))
    #expect(!session.screen.contains("geheim"))
    #expect(try run("find-generic-password", "-s", "mail").status == 44)
  }

  @Test("Passcodes are asked for: the new one twice, the old one before it changes")
  func passcodes() throws {
    let first = try start("set-passcode")
    try first.answer("New passcode: ", with: "a long passcode")
    try first.answer("The same again: ", with: "a long passcode")
    #expect(first.end() == 0)

    let second = try start("set-passcode")
    try second.answer("Passcode until now: ", with: "a long passcode")
    try second.answer("New passcode: ", with: "another passcode")
    try second.answer("The same again: ", with: "another passcode")
    #expect(second.end() == 0)

    let status = try start("status", "--json", "--passcode", "prompt")
    try status.answer("Passcode of the keychain: ", with: "another passcode")
    #expect(status.end() == 0)
    #expect(status.screen.contains("\"lockState\":\"unlocked\""))

    let removal = try start("set-passcode", "--remove")
    try removal.answer("Passcode until now: ", with: "a long passcode")
    #expect(removal.end() == 51)
    for session in [first, second, status, removal] { #expect(!session.screen.contains(" passcode\r\n")) }
  }

  @Test("A locked keychain asks for the passcode once, and then the command runs")
  func locked() throws {
    try lock()
    let session = try start("find-generic-password", "-s", "mail", "-w")
    try session.answer("the keychain is locked\r\nPasscode of the keychain: ", with: "a long passcode")
    #expect(session.end() == 0)
    #expect(session.screen.hasSuffix("geheim\r\n"))
    #expect(session.isAsBefore)

    let adding = try start("add-generic-password", "-a", "alice", "-s", "other", "-w", "-pw", "--json")
    try adding.answer("Passcode of the keychain: ", with: "a long passcode")
    #expect(adding.end() == 0)
    #expect(adding.screen.contains("{\"event\":\"added\""))

    let dump = try start("dump", "-d")
    try dump.answer("Passcode of the keychain: ", with: "a long passcode")
    #expect(dump.end() == 0)
    #expect(dump.screen.contains("\"geheim\""))
  }

  @Test("Its input may come from elsewhere: the terminal is asked all the same")
  func lockedWithInput() throws {
    try lock()
    let input = folder.appendingPathComponent("input")
    try Data("neu\n".utf8).write(to: input)
    let session = try TerminalSession(
      ["keychain", "add-generic-password", "-a", "alice", "-s", "other", "-w", "-"], folder: folder,
      environment: environment, input: input.path)
    try session.answer("Passcode of the keychain: ", with: "a long passcode")
    #expect(session.end() == 0)
    #expect(try run("find-generic-password", "-s", "other").status == 36)
  }

  @Test("A repair that wants the passcode asks for it once; where nothing is damaged it does not")
  func repair() throws {
    try lock()
    let sound = try start("verify", "--repair")
    #expect(sound.end() == 0)
    #expect(!sound.screen.contains("Passcode"))
    // The first page, so that it does not even open.
    let file = try FileHandle(forWritingTo: folder.appendingPathComponent("keychain.db"))
    try file.write(contentsOf: Data(repeating: 0x5A, count: 4096))
    try file.close()
    let wrong = try start("verify", "--repair")
    try wrong.answer("to repair the keychain\r\nPasscode of the keychain: ", with: "another passcode")
    #expect(wrong.end() == 51)
    let session = try start("verify", "--repair")
    try session.answer("to repair the keychain\r\nPasscode of the keychain: ", with: "a long passcode")
    #expect(session.end() == 0)
    #expect(session.screen.contains(": kept"), "\(session.screen)")
    #expect(session.isAsBefore)
  }

  @Test("A wrong passcode is asked for again, three times in all; an empty line is none")
  func wrongPasscode() throws {
    try lock()
    let session = try start("find-generic-password", "-s", "mail", "-w")
    try session.answer("Passcode of the keychain: ", with: "another passcode")
    try session.answer("that was not the passcode; 4 more before a delay", with: "a long passcode")
    #expect(session.end() == 0)

    let wrong = try start("find-generic-password", "-s", "mail", "-w")
    try wrong.answer("Passcode of the keychain: ", with: "another passcode")
    try wrong.answer("that was not the passcode; ", with: "another passcode")
    try wrong.answer("that was not the passcode; ", with: "another passcode")
    #expect(wrong.end() == 51)
    #expect(wrong.isAsBefore)
  }

  @Test(
    "What is not locked, and what is only looked at, asks nobody", arguments: ["always", "status", "dump", "verify"])
  func unasked(what: String) throws {
    try lock()
    let arguments = what == "always" ? ["find-generic-password", "-s", "always", "-w"] : [what]
    let session = try TerminalSession(["keychain"] + arguments, folder: folder, environment: environment)
    #expect(session.end() == 0)
    #expect(!session.screen.contains("Passcode"))
  }

  /// A keychain with a passcode and two items.
  private func lock() throws {
    try PreparedKeychain.withItems.get().write(to: folder)
    #expect(try run("find-generic-password", "-s", "mail", "-w").status == 36)
  }
}
