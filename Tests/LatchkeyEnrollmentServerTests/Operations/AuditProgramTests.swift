import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Foundation
import Testing

/// The checks of `latchkey-server audit`.
@Suite("The audit log, as the program verifies it", .serialized)
struct AuditProgramTests {
  private struct Place: ~Copyable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-audit-\(UUID().uuidString)")
    var database: String { folder.appending(path: "server.db").path }
    deinit { try? FileManager.default.removeItem(at: folder) }
  }

  private func run(_ folder: URL, _ words: [String], input: String = "") async throws -> ForeignProgram {
    try await ServedProgram.run(words + ["--state", folder.path], input: input)
  }

  private func addUser(_ folder: URL, _ name: String = "ann") async throws {
    #expect(try await run(folder, ["user", "add", name, "--password", "-"], input: "long enough\n").status == 0)
  }

  @Test(
    "A mistyped name is an error and makes nothing",
    arguments: [
      ["audit", "verify"], ["audit", "head"], ["ledger", "verify"], ["device", "list", "ann"],
      ["user", "unlock", "ann"],
      ["crl", "/dev/null"],
    ])
  func nothingThere(_ words: [String]) async throws {
    let place = Place()
    let none = try await run(place.folder, words)
    #expect(none.status == 74)
    #expect(none.output.contains("give --state"))
    #expect(!FileManager.default.fileExists(atPath: place.folder.path))
    try FileManager.default.createDirectory(
      at: place.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    #expect(try await run(place.folder, words).status != 0)
    let other = place.folder.appending(path: "other.db").path
    #expect(try await run(place.folder, words + ["--store", "sqlite:\(other)"]).status != 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path) == [])
    // An empty file is no database either.
    #expect(FileManager.default.createFile(atPath: other, contents: nil, attributes: [.posixPermissions: 0o600]))
    #expect(try await run(place.folder, words + ["--store", "sqlite:\(other)"]).status != 0)
    #expect(try FileManager.default.attributesOfItem(atPath: other)[.size] as? Int == 0)
  }

  @Test("An export or a list whose output cannot be written ends there, says so, and does not call itself done")
  func unwritable() async throws {
    let place = Place()
    try await addUser(place.folder)
    let program = try ProgramPath.built("latchkey-server")
    for words in ["audit export", "audit list", "user list"] {
      let run = try #require(
        try await ForeignProgram.run(
          "/bin/sh", ["-c", #""$1" \#(words) --state "$2" > /dev/full"#, "sh", program, place.folder.path]))
      #expect(run.status == 74, "\(words): \(run.output)")
      #expect(run.output.contains("standard output cannot be written"), "\(words): \(run.output)")
      #expect(!run.output.contains("done"), "\(words): \(run.output)")
      #expect(words != "audit export" || run.output.contains("--after"), "\(run.output)")
    }
  }

  @Test("An empty log is no whole one, and one that was emptied is missed while anything is left", .needs("python3"))
  func empty() async throws {
    let place = Place()
    try await addUser(place.folder)
    let columns = "id, user_name, name, created, identity_key"
    let device = "INSERT INTO devices (\(columns)) VALUES (zeroblob(16), 'ann', '', 1, x'04');"
    try await ServedProgram.forge(place.database, device + "DELETE FROM audit_entries; DELETE FROM audit_heads")
    let emptied = try await run(place.folder, ["audit", "verify"])
    #expect(emptied.status == 1 && emptied.output.contains("(all)  0 entries  the chain is gone"))
    try await ServedProgram.forge(place.database, "DELETE FROM devices; DELETE FROM users")
    let empty = try await run(place.folder, ["audit", "verify"])
    #expect(empty.status == 1 && empty.output.contains("the audit log is empty"))
    #expect(try await run(place.folder, ["audit", "verify", "--json"]).output.contains(#"{"event":"empty"}"#))
    #expect(try await run(place.folder, ["audit", "head"]).status == 65)
  }

  @Test("Unsigned heads are refused, unless an option accepts them")
  func unsignedHeads() async throws {
    let place = Place()
    #expect(try await ServedProgram(["--state", place.folder.path]).end() == 0)
    let head = try await run(place.folder, ["audit", "head"]).output
    let lines = head.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    let signature = try #require(lines.last { $0.hasPrefix("signature ") })
    let bare = lines.filter { !$0.hasPrefix("signature ") }.joined(separator: "\n") + "\n"
    let kept = place.folder.appending(path: "kept").path
    func verify(_ text: String, _ words: [String] = []) async throws -> Int32 {
      try Data(text.utf8).write(to: URL(filePath: kept))
      return try await run(place.folder, ["audit", "verify", "--against", kept] + words).status
    }
    #expect(try await verify(head) == 0)
    #expect(try await verify(bare) == 65)
    #expect(try await verify(bare, ["--allow-unsigned"]) == 0)
    let altered = head.replacing("\ntime ", with: "\ntime 1")
    #expect(try await verify(altered) == 65)
    #expect(try await verify(altered, ["--allow-unsigned"]) == 65)
    let none = "latchkey-audit-heads 1\ntime 5\n"
    #expect(try await verify(none) == 65)
    #expect(try await verify(none, ["--allow-unsigned"]) == 65)
    #expect(try await verify(none + signature + "\n", ["--allow-unsigned"]) == 65)
    // The server's own notes are verified alike.
    let own = place.folder.appending(path: "audit-heads")
    let noted = try String(contentsOf: own, encoding: .utf8)
    try Data(bare.utf8).write(to: own)
    #expect(try await run(place.folder, ["audit", "verify"]).status == 65)
    try Data(noted.utf8).write(to: own)
    #expect(try await run(place.folder, ["audit", "verify"]).status == 0)
    // Without the key the signer is unknown.
    try FileManager.default.removeItem(at: place.folder.appending(path: "answer-key.pem"))
    #expect(try await verify(head) == 65)
    #expect(try await verify(head, ["--allow-unsigned"]) == 0)
  }

  @Test("A server that ends records the ends of the chains, so that the last entries cannot be cut", .needs("python3"))
  func lastHeads() async throws {
    let place = Place()
    let server = try await ServedProgram(["--state", place.folder.path, "--node", "a"])
    try await addUser(place.folder)
    #expect(server.end() == 0)
    #expect(try await run(place.folder, ["audit", "verify"]).status == 0)
    let statements = ["entries", "heads"].map { "DELETE FROM audit_\($0) WHERE node <> 'a'" }.joined(separator: ";")
    try await ServedProgram.forge(place.database, statements)
    let found = try await run(place.folder, ["audit", "verify"])
    #expect(found.status == 1 && found.output.contains("the chain is gone"))
  }

  @Test(
    "A device or a certificate that counts again in the tables is found by the entry that revoked it", .needs("python3")
  )
  func unrevoked() async throws {
    let place = Place()
    try await addUser(place.folder)
    let (device, serial) = (String(repeating: "01", count: 16), "0a1b")
    let made = """
      INSERT INTO devices (id, user_name, name, created, identity_key)
      VALUES (x'\(device)', 'ann', 'a' || char(27) || '[2Jb', 1, x'04'), (zeroblob(16), 'ann', 'second', 1, x'04');
      INSERT INTO certificates (fingerprint, serial, device, not_after)
      VALUES (zeroblob(32), x'\(serial)', zeroblob(16), 9999999999),
        (x'\(device)', x'02', x'\(device)', 9999999999)
      """
    try await ServedProgram.forge(place.database, made)
    let list = try await run(place.folder, ["device", "list", "ann"]).output
    #expect(list.contains("a\\u{1b}[2Jb") && !list.contains("\u{1B}") && list.contains("identity key unknown"))
    #expect(try await run(place.folder, ["device", "revoke", device]).status == 0)
    #expect(try await run(place.folder, ["certificate", "revoke", serial]).status == 0)
    #expect(try await run(place.folder, ["audit", "verify"]).status == 0)
    for (table, number) in [("devices", 2), ("certificates", 2)] {
      try await ServedProgram.forge(place.database, "UPDATE \(table) SET revoked = NULL WHERE revoked IS NOT NULL")
      let found = try await run(place.folder, ["audit", "verify"])
      #expect(
        found.status == 1 && found.output.contains("entry \(number) revoked what counts again"), "\(found.output)")
      try await ServedProgram.forge(place.database, "UPDATE \(table) SET revoked = 5")
    }
    try await ServedProgram.forge(
      place.database, "UPDATE certificates SET revoked = NULL WHERE serial = x'\(serial)'")
    #expect(try await run(place.folder, ["audit", "verify"]).output.contains("entry 3 revoked what counts again"))
    try await ServedProgram.forge(place.database, "DELETE FROM certificates WHERE serial = x'\(serial)'")
    #expect(try await run(place.folder, ["audit", "verify"]).output.contains("entry 3 revoked what counts again"))
    try await ServedProgram.forge(
      place.database,
      "DELETE FROM certificates WHERE device = x'\(device)'; DELETE FROM devices WHERE id = x'\(device)'")
    #expect(try await run(place.folder, ["audit", "verify"]).output.contains("entry 2 revoked what counts again"))
  }

  @Test(
    "A server's name has characters that show",
    arguments: ["a\nhead 1", "", " a", "a ", "a\u{1B}[2J", "a\u{202E}b", String(repeating: "a", count: 129)])
  func names(_ name: String) async throws {
    let place = Place()
    for words in [["audit", "verify"], ["serve", "--listen", "127.0.0.1:0"]] {
      // An empty one is none.
      if name.isEmpty, words[0] == "serve" { continue }
      let refused = try await run(place.folder, words + ["--node", name])
      #expect(refused.status == (name.isEmpty ? 74 : 64))
    }
    #expect(!FileManager.default.fileExists(atPath: place.folder.path))
  }
}
