import Foundation
import LatchkeyEnrollmentStore
import LatchkeyTestSupport
import Testing

/// `latchkey-server migrate`, and what stands in its way.
@Suite("Migration by the program latchkey-server")
struct MigrateProgramTests {
  /// A folder of a server, with a database of the first version of the schema if that is wanted.
  private struct Place: ~Copyable {
    let state = FileManager.default.temporaryDirectory.appending(path: "latchkey-migrate-\(UUID().uuidString)").path

    init(hasDatabase: Bool) throws {
      try FileManager.default.createDirectory(
        atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      guard hasDatabase else { return }
      let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
      let first = tests.appending(path: "LatchkeyEnrollmentStoreTests/Fixtures/first-version.sqlite")
      try Data(contentsOf: first).write(to: URL(fileURLWithPath: database))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: database)
    }

    deinit { try? FileManager.default.removeItem(atPath: state) }

    var database: String { state + "/server.db" }
    var bytes: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: database)) } }
  }

  private func migrate(_ words: [String]) async throws -> ForeignProgram {
    try #require(
      try await ForeignProgram.run(
        try ProgramPath.built("latchkey-server"), ["migrate"] + words, environment: ["PATH": "/usr/bin:/bin"]))
  }

  @Test("A store of the first version is brought forward once, and the check alone changes nothing")
  func forward() async throws {
    let place = try Place(hasDatabase: true)
    let (state, before) = (place.state, try place.bytes)
    let check = try await migrate(["--check", "--state", state])
    #expect(check.status == 0 && check.output == "The store is of version 1, this program's is \(Schema.version)\n")
    let unchanged = try place.bytes
    #expect(unchanged == before)
    let first = try await migrate(["--state", state, "--json"])
    #expect(first.status == 0 && first.output.contains(#""from":1,"to":\#(Schema.version)"#), "\(first.output)")
    let second = try await migrate(["--state", state, "--json"])
    #expect(second.status == 0 && !second.output.contains("migrated"), "\(second.output)")
    #expect(second.output.contains(#""found":\#(Schema.version)"#), "\(second.output)")
  }

  @Test("A store of a later version is refused, and stays as it is", .needs("python3")) func later() async throws {
    let place = try Place(hasDatabase: true)
    let state = place.state
    try await ServedProgram.forge(place.database, "INSERT INTO schema_version (version) VALUES (900)")
    let before = try place.bytes
    for words in [[], ["--check"]] {
      let run = try await migrate(words + ["--state", state])
      #expect(run.status == 65 && run.output.contains("version 900: use a newer program"), "\(run.output)")
    }
    let after = try place.bytes
    #expect(after == before)
  }

  @Test(
    "A tenant with its file, and a tenant beside --check, are refused before the store is touched",
    arguments: [
      (["--check", "--tenant", "red=/etc/latchkey/red.json"], "--config /etc/latchkey/red.json"),
      (["--tenant", "red=/etc/latchkey/red.json"], "--config /etc/latchkey/red.json"),
      (["--tenant", "red="], "--config FILE"),
      (["--check", "--tenant", "red"], "--check changes nothing"),
      (["--tenant", "red", "--check"], "chosen by --config FILE"),
    ]) func tenant(words: [String], part: String) async throws
  {
    let place = try Place(hasDatabase: true)
    let (state, before) = (place.state, try place.bytes)
    let run = try await migrate(words + ["--state", state])
    #expect(run.status == 64 && run.output.contains(part), "\(run.output)")
    let after = try place.bytes
    #expect(after == before)
  }

  @Test("The settings of a tenant choose its store") func configured() async throws {
    let place = try Place(hasDatabase: true)
    let (state, settings) = (place.state, place.state + "/red.json")
    try #"{"state": "\#(state)", "tls-name": "red.example.org"}"#.write(
      toFile: settings, atomically: true, encoding: .utf8)
    let check = try await migrate(["--check", "--config", settings])
    #expect(check.status == 0 && check.output == "The store is of version 1, this program's is \(Schema.version)\n")
    let given = try await migrate(["--tenant", "red", "--config", settings, "--json"])
    #expect(given.status == 0 && given.output.contains(#""from":1,"to":\#(Schema.version)"#), "\(given.output)")
    #expect(given.output.contains(#""event":"tenant","name":"red""#), "\(given.output)")
  }

  @Test("Where there is no store, none is made") func nothing() async throws {
    let place = try Place(hasDatabase: false)
    let (state, database) = (place.state, place.database)
    let run = try await migrate(["--state", state])
    #expect(run.status == 74 && run.output.contains("there is no store"), "\(run.output)")
    let none = try await migrate(["--state", state + "/none"])
    #expect(none.status != 0, "\(none.output)")
    #expect(!FileManager.default.fileExists(atPath: database))
  }
}
