import Foundation
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Testing

@Suite("What a restore prints", .timeLimit(.minutes(5)))
struct RestoreMessageTests {
  /// A state folder, and the program on it.
  private final class Place {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-restore-\(UUID().uuidString)")
    var copy: String { folder.appending(path: "copy.db").path }
    private var state: URL { folder.appending(path: "state") }

    init() async throws {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      for name in ["password", "passphrase"] {
        let file = folder.appending(path: name)
        try Data("long enough".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      }
      let added = try await run("user", "add", "ann", "--password", "@\(folder.path)/password")
      #expect(added.status == 0, "\(added.output)")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Without a terminal.
    func run(_ arguments: String...) async throws -> ForeignProgram {
      try #require(
        try await ForeignProgram.run(
          "/usr/bin/setsid",
          ["--wait", ProgramPath.built("latchkey-server")] + arguments + ["--state", state.path], environment: [:]))
    }

    /// Deletes the database, and with it, or not, the file that counts revocations.
    func lose(revocations: Bool = false) throws {
      for suffix in ["", "-wal", "-shm"] + (revocations ? [".revocations"] : []) {
        let file = state.path + "/server.db" + suffix
        if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
      }
    }
  }

  private static let passwords =
    "; passwords that were changed after the copy was made are the old ones again: change them once more\n"

  @Test("It says how many devices are back, that changed passwords are the old ones, and which tokens are revoked")
  func restored() async throws {
    let place = try await Place()
    #expect(try await place.run("backup", place.copy).status == 0)
    try place.lose()
    let plain = try await place.run("restore", place.copy)
    #expect(plain.status == 0 && plain.output == "Restored 0 devices from \(place.copy)\(Self.passwords)")
    let (one, two) = (place.folder.path + "/one.db", place.folder.path + "/two.db")
    for file in [one, two] {
      #expect(try await place.run("token", "create", "--user", "ann").status == 0)
      #expect(try await place.run("backup", file).status == 0)
    }
    for (file, tokens) in [(one, "1 unused enrollment token is"), (two, "2 unused enrollment tokens are")] {
      try place.lose()
      let run = try await place.run("restore", file)
      // That the first restore revoked a token counts, too.
      #expect(run.output.contains("Restored 0 devices") || run.output.contains("--lose-revocations"), "\(run.output)")
      guard run.status != 0 else {
        #expect(run.output.contains("; \(tokens) revoked\(Self.passwords)"), "\(run.output)")
        continue
      }
      let forced = try await place.run("restore", file, "--lose-revocations")
      #expect(forced.output.contains("; \(tokens) revoked\(Self.passwords)"), "\(forced.output)")
    }
    try place.lose()
    let kept = try await place.run("restore", two, "--lose-revocations", "--keep-tokens")
    #expect(kept.status == 0 && !kept.output.contains("token"), "\(kept.output)")
  }

  @Test("Revocations after the copy are counted, and refuse it until the operator says to lose them") func lost()
    async throws
  {
    let place = try await Place()
    #expect(try await place.run("backup", place.copy).status == 0)
    #expect(try await place.run("user", "disable", "ann").status == 0)
    try place.lose()
    let refused = try await place.run("restore", place.copy)
    #expect(refused.status != 0)
    #expect(refused.output.contains("1 was made after it"))
    #expect(refused.output.contains("--lose-revocations, and revoke again what was revoked since"))
    let run = try await place.run("restore", place.copy, "--lose-revocations")
    #expect(
      run.output == "Restored 0 devices from \(place.copy); 1 revocation is lost: revoke again what was revoked since"
        + Self.passwords)
  }

  @Test("Without the file that counts revocations it says that nobody knows what was revoked") func unknown()
    async throws
  {
    let place = try await Place()
    #expect(try await place.run("backup", place.copy).status == 0)
    try place.lose(revocations: true)
    let refused = try await place.run("restore", place.copy)
    #expect(refused.status != 0 && refused.output.contains("/server.db.revocations, which says how much was revoked"))
    let run = try await place.run("restore", place.copy, "--lose-revocations", "--json")
    let line = run.output.split(separator: "\n").first { $0.contains(#""event":"restored""#) }
    #expect(line?.contains(#""lost":null"#) == true && line?.contains(#""voidedTokens":0"#) == true, "\(run.output)")
    try place.lose(revocations: true)
    let text = try await place.run("restore", place.copy, "--lose-revocations")
    #expect(
      text.output == "Restored 0 devices from \(place.copy); revoke again what was revoked after the copy was made"
        + Self.passwords)
  }

  @Test("It asks for the passphrase of the keys; where nobody can be asked it says how to give it, and changes nothing")
  func passphrase() async throws {
    let place = try await Place()
    let secret = "@\(place.folder.path)/passphrase"
    let (server, created) = (try ProgramPath.built("latchkey-server"), place.folder.path + "/state")
    let spawned = try SpawnedServer(server, ["serve", "--json", "--listen", "127.0.0.1:0", "--state", created])
    #expect(await spawned.firstLine().contains(#""event":"listening""#))
    #expect(spawned.end() == 0)
    let copied = try await place.run("backup", place.copy, "--with-keys", "--passphrase", secret)
    #expect(copied.status == 0, "\(copied.output)")
    try place.lose()
    let keys = ["restore", place.copy, "--keys", place.copy + ".keys.age"]
    let refused = try await place.run(keys[0], keys[1], keys[2], keys[3])
    #expect(refused.status != 0 && refused.output.contains("--passphrase"), "\(refused.output)")
    #expect(!FileManager.default.fileExists(atPath: created + "/server.db"))
  }
}
