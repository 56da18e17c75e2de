import Foundation
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Testing

@Suite("A restore beside a server", .timeLimit(.minutes(5)))
struct RestoreBesideServerTests {
  @Test("A restore is refused while a server runs, which would go on with the database that was moved away")
  func running() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-restore-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = folder.appending(path: "state")
    let program = try ProgramPath.built("latchkey-server")
    let place = ["--state", state.path]
    func run(_ arguments: String...) async throws -> ForeignProgram {
      try #require(try await ForeignProgram.run(program, arguments + place, environment: [:]))
    }
    let server = try SpawnedServer(program, ["serve", "--json", "--listen", "127.0.0.1:0", "--node", "a"] + place)
    #expect(await server.firstLine().contains(#""event":"listening""#))
    let copy = folder.appending(path: "copy.db").path
    #expect(try await run("backup", copy).status == 0)
    let database = state.appending(path: "server.db").path
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: database + suffix) {
      try FileManager.default.moveItem(atPath: database + suffix, toPath: folder.path + "/moved.db" + suffix)
    }
    let refused = try await run("restore", copy, "--lose-revocations")
    #expect(refused.status == 69 && refused.output.contains("a server runs"), "\(refused.output)")
    #expect(!FileManager.default.fileExists(atPath: database))
    #expect(server.end() == 0)
    let restored = try await run("restore", copy, "--lose-revocations")
    #expect(restored.status == 0, "\(restored.output)")
  }

  @Test(
    "What a killed restore left is removed by the next restore and by a start, with a message, and its keys are taken up"
  )
  func killed() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-restore-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (state, fresh) = (folder.appending(path: "state"), folder.appending(path: "fresh"))
    let program = try ProgramPath.built("latchkey-server")
    func run(_ state: URL, _ arguments: String...) async throws -> ForeignProgram {
      try #require(
        try await ForeignProgram.run(program, arguments + ["--state", state.path], environment: [:]))
    }
    let first = try SpawnedServer(
      program, ["serve", "--json", "--listen", "127.0.0.1:0", "--node", "a", "--state", state.path])
    #expect(await first.firstLine().contains(#""event":"listening""#))
    #expect(first.end() == 0)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let (copy, phrase) = (folder.appending(path: "copy.db").path, folder.appending(path: "phrase").path)
    try Data("a passphrase of the keys\n".utf8).write(to: URL(fileURLWithPath: phrase))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: phrase)
    #expect(try await run(state, "backup", copy, "--with-keys", "--passphrase", "@\(phrase)").status == 0)
    // A restore that was killed had written the keys, and its draft had no name yet.
    let keys = ["--keys", copy + ".keys.age", "--passphrase", "@\(phrase)"]
    let all = try #require(
      try await ForeignProgram.run(
        program, ["restore", copy, "--lose-revocations", "--state", fresh.path] + keys, environment: [:]))
    #expect(all.status == 0, "\(all.output)")
    let database = fresh.appending(path: "server.db").path
    let draft = { "\(database).\(UUID().uuidString).partial" }
    let (abandoned, second) = (draft(), draft())
    try FileManager.default.moveItem(atPath: database, toPath: abandoned)
    let again = try #require(
      try await ForeignProgram.run(
        program, ["restore", copy, "--lose-revocations", "--state", fresh.path] + keys, environment: [:]))
    #expect(again.status == 0 && again.output.contains("removed \(abandoned)"), "\(again.output)")
    #expect(!FileManager.default.fileExists(atPath: abandoned))
    let listed = try await run(fresh, "audit", "list", "--event", "store.restored")
    #expect(listed.status == 0 && listed.output.contains("store.restored"), "\(listed.output)")
    #expect(FileManager.default.createFile(atPath: second, contents: Data()))
    let errors = folder.appending(path: "errors").path
    #expect(FileManager.default.createFile(atPath: errors, contents: nil))
    let started = try SpawnedServer(
      program, ["serve", "--json", "--listen", "127.0.0.1:0", "--node", "a", "--state", fresh.path],
      errors: try #require(FileHandle(forWritingAtPath: errors)))
    #expect(await started.firstLine().contains(#""event":"listening""#))
    #expect(started.end() == 0)
    #expect(try String(contentsOfFile: errors, encoding: .utf8).contains("removed \(second)"))
    #expect(!FileManager.default.fileExists(atPath: second))
    // Other keys are not overwritten.
    try Data("other".utf8).write(to: fresh.appending(path: "ca-key.pem"))
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database + suffix) }
    let refused = try #require(
      try await ForeignProgram.run(
        program, ["restore", copy, "--lose-revocations", "--state", fresh.path] + keys, environment: [:]))
    #expect(refused.status == 65 && refused.output.contains("move it away"), "\(refused.output)")
  }
}
