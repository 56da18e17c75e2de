import LatchkeyTestSupport
import Crypto
import Foundation
import Testing

/// Standard output that accepts nothing, as on a full disk: a command whose lines are lost does not end with success.
@Suite(.timeLimit(.minutes(5))) struct FullOutputTests {
  private let folder: CommandFolder

  init() throws { folder = try CommandFolder() }

  private func run(_ program: String, _ arguments: [String]) throws -> BuiltCommand.Result {
    try run(program, arguments, output: try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full")))
  }

  private func run(_ program: String, _ arguments: [String], output: FileHandle?) throws -> BuiltCommand.Result {
    let environment = folder.environment.merging(["LATCHKEY_STATE": folder.url.path, "LATCHKEY_LOG_LEVEL": "error"]) {
      $1
    }
    return try BuiltCommand.run(
      arguments, input: [], program: BuiltCommand.program.deletingLastPathComponent().appendingPathComponent(program),
      folder: folder.url, environment: environment,
      output: output)
  }

  @Test(
    "help, versions and completions end with 74", arguments: ["latchkey", "latchkey-server"],
    [
      ["--help"], ["--version"], ["help"], ["--generate-completion-script", "bash"], ["device", "--help"],
    ])
  func helpOfAll(program: String, arguments: [String]) throws {
    let result = try run(program, arguments)
    #expect(result.status == 74)
    #expect(result.errors == "latchkey: standard output cannot be written\n")
  }

  @Test(
    "Commands that print the keychain and keys end with 74",
    arguments: [
      ["keychain", "status"], ["keychain", "status", "--json"], ["enclave", "create", "key"], ["legacy", "keygen"],
      ["keychain", "presence", "--json"],
    ])
  func items(arguments: [String]) throws {
    let added = try run(
      "latchkey", ["keychain", "add-generic-password", "-a", "alice", "-s", "mail", "-w", "-"], output: nil)
    #expect(added.status == 0)
    let result = try run("latchkey", arguments)
    #expect(result.status == 74)
    #expect(result.errors.hasSuffix("latchkey: standard output cannot be written\n"), "\(result.errors)")
  }

  @Test(
    "Commands that print events do their work, and end with 74",
    arguments: [
      ("latchkey", ["demo"]),
      ("latchkey-server", ["ca", "create", "--key", "key.pem", "--out", "ca.pem"]),
    ])
  func events(program: String, arguments: [String]) throws {
    let key = folder.url.appendingPathComponent("key.pem")
    try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: key)
    #expect(chmod(key.path, 0o600) == 0)
    let result = try run(program, arguments)
    #expect(result.status == 74)
    #expect(
      result.errors == "latchkey: the command is done, but standard output cannot be written\n",
      "\(result.errors)")
  }

  @Test("A failure keeps its own status; a command line error has 64")
  func failures() throws {
    #expect(try run("latchkey", ["accounts", "--json"]).status == 69)
    #expect(try run("latchkey", ["nonsense"]).status == 64)
    #expect(try run("latchkey-server", ["serve", "--nonsense", "--json"]).status == 64)
  }
}
