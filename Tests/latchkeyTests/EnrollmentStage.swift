import Foundation
import LatchkeyTestSupport
import Testing

/// A server, and a user with a keychain; with a passcode, and a program that types it, where keys ask for the user. Each process
/// derives its key anew.
final class EnrollmentStage {
  let url: String
  let ca: String
  let password: String
  let state: String
  var lines: [String] = []
  let folder: URL
  let environment: [String: String]
  private let server: RunningCommand

  /// - Parameters:
  ///   - options: of the server.
  ///   - files: what its options name, by name.
  ///   - hasPasscode: without one no key asks for the user, and no device has an approval key.
  init(
    serving options: [String] = [], files: [String: String] = [:], hasPasscode: Bool = true
  ) async throws {
    folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let passcode = folder.appendingPathComponent("passcode")
    let asking = folder.appendingPathComponent("asking")
    try Data("a long passcode\n".utf8).write(to: passcode)
    try Data("#!/bin/sh\necho a long passcode\n".utf8).write(to: asking)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: passcode.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: asking.path)
    var environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder.path,
      "LATCHKEY_KEYCHAIN": folder.appendingPathComponent("keychain.db").path, "LATCHKEY_ENCLAVE": "software",
      "LATCHKEY_ASKPASS": asking.path,
    ]
    if hasPasscode {
      try PreparedKeychain.empty.get().write(to: folder)
      environment["LATCHKEY_PASSCODE_FILE"] = passcode.path
    }
    self.environment = environment
    for (name, text) in files { try Self.write(text, to: folder.appendingPathComponent(name)) }
    let place = folder.path
    state = folder.appendingPathComponent("server").path
    server = try RunningCommand(
      ["serve", "--sample-bank", "--listen", "127.0.0.1:0", "--state", state, "--json"]
        + options.map { $0.hasPrefix("@") && !$0.hasPrefix("@/") ? "@\(place)/\($0.dropFirst())" : $0 }, state: folder
    )
    #expect(await server.wait(for: "\"demo\""))
    let reported = server.lines.joined(separator: "\n")
    url = try #require(reported.firstMatch(of: /https:\/\/localhost:[0-9]+/).map { String($0.output) })
    ca = state + "/ca.pem"
    password = state + "/demo-password"
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Writes files of secrets into the folder that commands run in.
  func write(_ files: [String: String]) throws {
    for (name, text) in files { try Self.write(text, to: folder.appendingPathComponent(name)) }
  }

  private static func write(_ text: String, to file: URL) throws {
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
  }

  /// Runs a command, and keeps what it prints; returns its complaints.
  ///
  /// - Parameters:
  ///   - asking: the program in this folder that types the passcode; nil for none, and no terminal either.
  ///   - passcode: whether a file unlocks the keychain.
  ///   - output: where it writes to; nil to return it.
  @discardableResult
  func play(
    _ line: String, _ status: Int32 = 0, asking: String? = "asking", passcode: Bool = true, output: FileHandle? = nil
  ) throws -> String {
    let arguments = line.split(separator: " ").map(String.init)
    var environment = environment
    environment["LATCHKEY_ASKPASS"] = asking.map { folder.appendingPathComponent($0).path }
    if !passcode { environment["LATCHKEY_PASSCODE_FILE"] = nil }
    // The tests themselves may have a terminal.
    let result =
      asking == nil
      ? try BuiltCommand.run(
        ["--wait", BuiltCommand.program.path] + arguments, input: [],
        program: URL(fileURLWithPath: "/usr/bin/setsid"),
        folder: folder, environment: environment)
      : try BuiltCommand.run(arguments, input: [], folder: folder, environment: environment, output: output)
    #expect(result.status == status, "\(line): \(result.errors)")
    lines.append("$ latchkey \(line.replacing(folder.path, with: "FOLDER"))")
    lines += result.output.split(separator: "\n").map(String.init)
    return result.errors
  }

  /// Starts a command so often, before the first ends, and waits for all of them; what each prints.
  @discardableResult
  func playAtOnce(_ line: String, times: Int) async throws -> [[String]] {
    try await playAtOnce(Array(repeating: line, count: times))
  }

  /// Starts commands, before the first ends, and waits for all of them; what each prints.
  @discardableResult
  func playAtOnce(_ commands: [String]) async throws -> [[String]] {
    let running = try commands.map { line in
      try RunningCommand(line.split(separator: " ").map(String.init), state: folder, environment: environment)
    }
    var lines: [[String]] = []
    for (line, command) in zip(commands, running) {
      let status = try await command.end()
      #expect(status == 0, "\(line): \(command.lines)")
      lines.append(command.lines)
    }
    return lines
  }

  /// Runs a command again and again, until it ends so.
  func play(_ line: String, until status: Int32) throws {
    let arguments = line.split(separator: " ").map(String.init)
    for _ in 0..<200 {
      let result = try BuiltCommand.run(arguments, input: [], folder: folder, environment: environment)
      if result.status == status { return }
    }
    Issue.record("\(line) never ended with \(status)")
  }

  /// A day, so many days from now: `2026-11-30`.
  static func day(_ distance: Int) -> String {
    String((Date() + Double(distance) * 86_400).formatted(.iso8601).prefix(10))
  }

  /// Ends the server as a signal does.
  func stop() async throws -> Int32 {
    server.interrupt()
    return try await server.end()
  }
}
