import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentStore
import Testing

@Suite("latchkey-server audit prune", .serialized)
struct AuditPruneProgramTests {
  /// A server's folder, with an answer key and a chain "old" whose entries are of the times 1 to 10.
  private struct Place: ~Copyable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-prune-\(UUID().uuidString)")
    var database: String { folder.appending(path: "server.db").path }
    var exported: String { folder.appending(path: "audit.jsonl").path }

    init() async throws {
      let (folder, database) = (folder, folder.appending(path: "server.db").path)
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let store = try SQLiteStore(path: database, node: "old")
      try await store.write { store in
        for number in 1...10 { try store.audit(AuditEntry(event: "e", time: Int64(number))) }
      }
      await store.close()
      #expect(
        FileManager.default.createFile(
          atPath: folder.appending(path: "answer-key.pem").path, contents: Data(FileAuthorityKey().pem.utf8),
          attributes: [.posixPermissions: 0o600]))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
  }

  private func run(_ folder: URL, _ words: [String], input: String = "") async throws -> ForeignProgram {
    try await ServedProgram.run(["audit"] + words + ["--state", folder.path, "--node", "me"], input: input)
  }

  /// Writes what export prints.
  private func export(_ folder: URL, _ file: String, _ words: [String] = []) async throws {
    let exported = try await run(folder, ["export"] + words)
    #expect(exported.status == 0)
    try Data(exported.output.utf8).write(to: URL(filePath: file))
  }

  @Test("Deletes what was exported; the rest, and the export, are verified from then on")
  func exported() async throws {
    let place = try await Place()
    try await export(place.folder, place.exported)
    let pruned = try await run(place.folder, ["prune", "--before", "5", "--exported", place.exported, "--yes"])
    #expect(pruned.status == 0 && pruned.output == "old  4 entries pruned, up to 4\n", "\(pruned.output)")
    let verified = try await run(place.folder, ["verify", "--exported", place.exported])
    #expect(verified.status == 0, "\(verified.output)")
    #expect(verified.output.contains("old  6 entries  whole, pruned up to 4"))
    #expect(verified.output.contains("old  exported 1 to 10  joins on to the store"))
    let json = try await run(place.folder, ["verify", "--json", "--exported", place.exported])
    #expect(json.output.contains(#""node":"old","entries":6,"pruned":4,"fault":null"#), "\(json.output)")
    #expect(json.output.contains(#"{"event":"exported","node":"old","first":1,"last":10,"fault":null}"#))
    // What is exported later goes on in a file of its own.
    let later = place.folder.appending(path: "later.jsonl").path
    try await export(place.folder, later, ["--chain", "old"])
    let second = try await run(place.folder, ["prune", "--before", "8", "--exported", later, "--yes", "--json"])
    #expect(second.output.contains(#"{"event":"pruned","node":"old","entry":7,"entries":3}"#), "\(second.output)")
    #expect(try await run(place.folder, ["verify", "--exported", place.exported]).status == 0)
    #expect(
      try await run(place.folder, ["prune", "--before", "8", "--without-export", "--yes"]).output
        == "no entry is so old\n")
    #expect(try await run(place.folder, ["list"]).output.contains("audit.pruned"))
  }

  @Test("Deletes nothing without an answer, an export, or a key")
  func refused() async throws {
    let place = try await Place()
    try await export(place.folder, place.exported)
    func refuses(_ words: [String], _ status: Int32, _ reason: String) async throws {
      let refused = try await run(place.folder, ["prune"] + words)
      #expect(refused.status == status && refused.output.contains(reason), "\(words): \(refused)")
    }
    try await refuses(["--before", "5", "--exported", place.exported], 64, "--yes is missing")
    try await refuses(["--before", "5", "--yes"], 64, "--exported")
    try await refuses(
      ["--before", "5", "--yes", "--without-export", "--exported", place.exported], 64, "--without-export")
    try await refuses(["--yes", "--without-export"], 64, "--older-than")
    try await refuses(["--before", "5", "--older-than", "1d", "--yes", "--without-export"], 64, "--older-than")
    try await refuses(["--before", "99999999999", "--yes", "--without-export"], 64, "in the past")
    try await refuses(["--before", "soon", "--yes", "--without-export"], 64, "--before is a time")
    let part = place.folder.appending(path: "part.jsonl").path
    let lines = try String(contentsOfFile: place.exported, encoding: .utf8).split(separator: "\n").map { $0 + "\n" }
    for kept in [lines[1...], lines[..<3], lines[..<0]] {
      try Data(kept.joined().utf8).write(to: URL(filePath: part))
      try await refuses(["--before", "5", "--exported", part, "--yes"], 65, "the export lacks entries 1 to 4 of old")
    }
    for (kept, line) in [
      ([lines[0], lines[2]], 2), ([lines[0].replacing("\"time\":1", with: "\"time\":2")], 1), (["{}\n"], 1),
    ] {
      try Data(kept.joined().utf8).write(to: URL(filePath: part))
      try await refuses(["--before", "5", "--exported", part, "--yes"], 65, "part.jsonl, line \(line): ")
      #expect(try await run(place.folder, ["verify", "--exported", part]).status == 65)
    }
    try await refuses(["--before", "5", "--exported", part + "x", "--yes"], 74, "cannot be read")
    // Another store's export has the same numbers.
    let other = try await Place()
    try await export(other.folder, part)
    #expect(try await run(place.folder, ["verify", "--exported", part]).status == 0)
    let key = place.folder.appending(path: "answer-key.pem")
    try FileManager.default.moveItem(at: key, to: place.folder.appending(path: "away"))
    try await refuses(["--before", "5", "--without-export", "--yes"], 65, "answer key")
    try FileManager.default.moveItem(at: place.folder.appending(path: "away"), to: key)
    #expect(try await run(place.folder, ["verify"]).output == "old  10 entries  whole\n")
  }

  @Test("Leaves a log that is not whole as it is, and is found where another key signed", .needs("python3"))
  func forged() async throws {
    let place = try await Place()
    try await ServedProgram.forge(place.database, "UPDATE audit_entries SET event = 'x' WHERE sequence = 9")
    let words = ["prune", "--before", "5", "--without-export", "--yes"]
    let refused = try await run(place.folder, words)
    #expect(refused.status == 64 && refused.output.contains("not whole"), "\(refused)")
    try await ServedProgram.forge(place.database, "UPDATE audit_entries SET event = 'e' WHERE sequence = 9")
    #expect(try await run(place.folder, words).status == 0)
    let key = place.folder.appending(path: "answer-key.pem")
    try Data(FileAuthorityKey().pem.utf8).write(to: key)
    let found = try await run(place.folder, ["verify"])
    #expect(found.status == 1 && found.output.contains("no known answer key has signed that"), "\(found.output)")
    #expect(try await run(place.folder, ["verify", "--allow-unsigned"]).status == 1)
    #expect(try await run(place.folder, words).output.contains("not whole"))
    // Without a key nobody is known, unless all are accepted.
    try FileManager.default.removeItem(at: key)
    #expect(try await run(place.folder, ["verify"]).status == 1)
    #expect(try await run(place.folder, ["verify", "--allow-unsigned"]).status == 0)
  }

  @Test("A server that runs goes on, notes the ends, and does not take what was pruned for lost")
  func whileServing() async throws {
    let place = try await Place()
    let log = place.folder.appending(path: "log").path
    #expect(FileManager.default.createFile(atPath: log, contents: nil))
    let errors = try #require(FileHandle(forWritingAtPath: log))
    let server = try await ServedProgram(
      ["--state", place.folder.path, "--node", "a"], logLevel: "error", errors: errors)
    #expect(try await run(place.folder, ["prune", "--before", "500", "--without-export", "--yes"]).status == 0)
    let added = try await ServedProgram.run(
      ["user", "add", "ann", "--password", "-", "--state", place.folder.path], input: "long enough\n")
    #expect(added.status == 0)
    #expect(server.end() == 0)
    #expect(try String(contentsOfFile: log, encoding: .utf8) == "")
    let verified = try await run(place.folder, ["verify"])
    #expect(
      verified.status == 0 && verified.output.contains("old  0 entries  whole, pruned up to 10"), "\(verified.output)")
    // And after the next start, whose heads are held against the file.
    let again = try await ServedProgram(
      ["--state", place.folder.path, "--node", "a"], logLevel: "error", errors: errors)
    #expect(again.end() == 0)
    #expect(try String(contentsOfFile: log, encoding: .utf8) == "")
  }
}
