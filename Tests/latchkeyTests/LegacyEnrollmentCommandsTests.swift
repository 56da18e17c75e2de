import LatchkeyTestSupport
import Foundation
import Testing

/// The command lines of docs/command-line.md, run as they are printed: only the place of the radio is another, and the programs
/// are the built ones. Those with a "…" are for the reader to fill in.
@Suite(.timeLimit(.minutes(10))) final class LegacyEnrollmentCommandsTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../docs/command-line.md")
  private static let answers = [
    ("Password for the item: ", "geheim"), ("The same again: ", nil), ("New passcode: ", "a long passcode"),
    ("Passcode of the keychain: ", "a long passcode"),
  ]

  private let folder: URL
  private let environment: [String: String]

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("LATCHKEY_") }
    environment["HOME"] = folder.path
    environment["XDG_DATA_HOME"] = nil
    environment["PATH"] = BuiltCommand.program.deletingLastPathComponent().path + ":" + (environment["PATH"] ?? "")
    self.environment = environment
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The lines of the block of commands in which `beginning` begins a line.
  private func block(_ beginning: String) throws -> [String] {
    let blocks = try String(contentsOf: Self.page, encoding: .utf8).components(separatedBy: "```")
    let block = try #require(
      blocks.first { $0.hasPrefix("\n" + beginning) }, "docs/command-line.md has no `\(beginning)`")
    return block.split(separator: "\n").map(String.init)
  }

  private func start(_ line: String) throws -> TerminalSession {
    try TerminalSession(
      ["-c", line.replacingOccurrences(of: "/tmp/radio", with: "\(folder.path)/radio")],
      program: URL(filePath: "/bin/sh"), folder: folder, environment: environment)
  }

  /// Runs `line` and answers what it asks; what was asked for twice is typed twice.
  private func run(_ line: String) throws -> String {
    let session = try start(line)
    var last = ""
    let status = session.end { shown in
      guard let (_, answer) = Self.answers.first(where: { shown.hasSuffix($0.0) }) else { return nil }
      last = answer ?? last
      return last
    }
    #expect(status == 0, "\(line): \(session.screen)")
    return session.screen
  }

  @Test("A device maker's three terminals: the device joins and says so")
  func deviceMaker() throws {
    let lines = try block("latchkey radio")
    #expect(lines.count == 3)
    let join = folder.appendingPathComponent("join.sh")
    try Data("#!/bin/sh\ncat > joined\n".utf8).write(to: join)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: join.path)
    try Data("open sesame\n".utf8).write(to: folder.appendingPathComponent("wifi.txt"))
    let radio = try start(lines[0])
    try radio.wait(for: "listening")
    let device = try start(lines[1])
    try device.wait(for: "advertising as Lamp")
    #expect(try run(lines[2]).contains("connected to the network"))
    let joined = try String(contentsOf: folder.appendingPathComponent("joined"), encoding: .utf8)
    #expect(joined == "{\"ssid\":\"Home\",\"password\":\"open sesame\"}")
  }

  @Test("A back-end team's secrets")
  func secrets() throws {
    let lines = try block("latchkey keychain add-generic-password")
    #expect(try !run(lines[0]).contains("geheim"))
    #expect(try run(lines[1]).hasSuffix("geheim\r\n"))
    #expect(try run(lines[2]).contains("root key: file"))
  }

  @Test("A key that never leaves signs, and OpenSSL verifies")
  func enclave() throws {
    try Data("the release".utf8).write(to: folder.appendingPathComponent("release.tar"))
    let lines = try block("latchkey keychain set-passcode")
    #expect(lines.count == 4)
    for line in lines.dropLast() { _ = try run(line) }
    #expect(try run(lines[3]).contains("Verified OK"))
  }
}
