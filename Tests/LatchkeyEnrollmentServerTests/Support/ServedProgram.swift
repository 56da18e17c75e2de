import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Dispatch
import Foundation
import Glibc
import Testing

/// The program `latchkey-server`, serving with `--json` on any free port until it is ended.
final class ServedProgram: Sendable {
  /// Its output once it listened.
  struct Listening: Decodable, Sendable {
    let url: URL
    let operations: URL?
    let ca: String
  }

  let listening: Listening
  var port: Int { listening.url.port ?? 0 }
  private let process: SpawnedServer
  /// The number of its process.
  var id: Int32 { process.id }

  /// Where the program is: the build puts it beside the tests' bundle.
  static func path() throws -> String {
    try ProgramPath.built("latchkey-server")
  }

  /// Runs the program to its end.
  static func run(_ words: [String], input: String = "") async throws -> ForeignProgram {
    try #require(try await ForeignProgram.run(try path(), words, input: input))
  }

  /// Runs statements of SQL on a server's database, by Python (`.needs("python3")`).
  static func forge(_ database: String, _ statements: String) async throws {
    let script = "import sqlite3,sys;c=sqlite3.connect(sys.argv[1]);c.executescript(sys.argv[2]);c.commit()"
    let run = try #require(
      try await ForeignProgram.run("/usr/bin/python3", ["-c", script, database, statements]), "python3 is not there")
    try #require(run.status == 0, "\(run.output)")
  }

  /// Starts it, and waits until it listens.
  ///
  /// - Parameter errors: where its standard error goes.
  init(_ words: [String], logLevel: String = "critical", errors: FileHandle = .nullDevice) async throws {
    let process = try SpawnedServer(
      try Self.path(),
      ["serve", "--sample-bank", "--json", "--listen", "127.0.0.1:0", "--log-level", logLevel] + words, errors: errors)
    self.process = process
    let line = await process.firstLine()
    do {
      listening = try JSONDecoder().decode(Listening.self, from: Data(line.utf8))
    } catch {
      process.end()
      throw error
    }
  }

  /// Ends it at once, as a power cut would.
  func kill() { process.kill() }

  /// Ends it by SIGTERM, and gives its status.
  func end() -> Int32 { process.end() }

  deinit { process.end() }
}

/// A process whose standard output is read.
final class SpawnedServer: @unchecked Sendable {
  private let process = TestProcess()
  private let output = Pipe()

  var id: Int32 { process.processIdentifier }

  init(_ path: String, _ words: [String], errors: FileHandle = .nullDevice) throws {
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = words
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.start()
  }

  func firstLine() async -> String { String(await text(until: "\n").prefix { $0 != "\n" }) }

  /// What it prints, until this is part of it; all if it ends before.
  func text(until part: String) async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "server-output").async { [output] in
        var text = ""
        while !text.contains(part) {
          let data = output.fileHandleForReading.availableData
          if data.isEmpty { break }
          text += String(decoding: data, as: UTF8.self)
        }
        continuation.resume(returning: text)
      }
    }
  }

  func kill() {
    process.kill()
    process.waitUntilExit()
  }

  @discardableResult func end() -> Int32 {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    return process.terminationStatus
  }
}
