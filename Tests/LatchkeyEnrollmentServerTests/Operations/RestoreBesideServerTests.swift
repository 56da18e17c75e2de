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
}
