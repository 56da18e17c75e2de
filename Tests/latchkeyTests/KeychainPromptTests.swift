import Foundation
import Testing

/// What the keychain's commands ask for on a terminal.
@Suite(.timeLimit(.minutes(5))) final class KeychainPromptTests {
  private let folder: URL
  private let environment: [String: String]

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("LATCHKEY_") }
      .merging(["LATCHKEY_KEYCHAIN": folder.appendingPathComponent("keychain.db").path]) { $1 }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

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
    #expect(session.screen.contains("latchkey: -w: what was typed twice is not the same: start again"))
    #expect(!session.screen.contains("geheim"))
    #expect(try run("find-generic-password", "-s", "mail").status == 44)
  }

  @Test("Control-C at a prompt ends the command and puts the terminal back")
  func interrupted() throws {
    let session = try start("add-generic-password", "-a", "alice", "-s", "mail")
    try session.answer("Password for the item: ", with: "halb\u{3}")
    #expect(session.end() == 64)
    #expect(session.screen.contains("latchkey: -w: nothing was typed"))
    #expect(!session.screen.contains("halb"))
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
}
