import LatchkeyTestSupport
import Foundation
import Glibc
import Testing

/// `latchkey keychain verify --repair` of a file that does not open.
@Suite(.timeLimit(.minutes(10))) struct KeychainRepairTests {
  private let place: CommandFolder
  private var folder: URL { place.url }
  private var database: URL { place.keychain }
  private var environment: [String: String] { place.environment }

  init() throws { place = try CommandFolder() }

  private func run(_ line: String, input: String = "") throws -> BuiltCommand.Result {
    try BuiltCommand.run(
      ["keychain"] + line.split(separator: " ").map(String.init), input: Array(input.utf8), folder: folder,
      environment: environment)
  }

  private func spoilFirstPage() throws {
    let file = try FileHandle(forWritingTo: database)
    try file.write(contentsOf: Data(repeating: 0x5A, count: 4096))
    try file.close()
  }

  @Test("Its pages become a new file, and each item is named") func firstPage() throws {
    for name in ["one", "two"] {
      #expect(try run("add-generic-password -a a -s \(name) -w -", input: "secret \(name)").status == 0)
    }
    try spoilFirstPage()
    let found = try run("find-generic-password -s one -w")
    #expect(found.status == 65)
    #expect(found.errors.contains("latchkey keychain verify --repair"), "\(found.errors)")
    let repaired = try run("verify --repair")
    #expect(repaired.status == 0, "\(repaired.errors)")
    #expect(repaired.output.components(separatedBy: "kept").count == 3, "\(repaired.output)")
    for name in ["one", "two"] { #expect(try run("find-generic-password -s \(name) -w").output == "secret \(name)\n") }
    #expect(try run("verify").status == 0)
    #expect(try run("audit").output.contains("repaired"))
  }

  @Test("A keychain with a passcode requires it, and refuses a wrong one") func passcode() throws {
    #expect(try run("add-generic-password -a a -s one -w -", input: "secret one").status == 0)
    #expect(try run("set-passcode --new -", input: "correct horse").status == 0)
    try spoilFirstPage()
    let unasked = try run("verify --repair")
    #expect(unasked.status == 36, "\(unasked.errors)")
    #expect(unasked.errors.contains("--passcode"), "\(unasked.errors)")
    #expect(try run("verify --repair --passcode -", input: "wrong horse").status == 51)
    let repaired = try run("verify --repair --passcode -", input: "correct horse")
    #expect(repaired.status == 0, "\(repaired.errors)")
    #expect(try run("find-generic-password -s one -w --passcode -", input: "correct horse").output == "secret one\n")
  }

  @Test(
    "Without header and audit log all is kept only where that is accepted, named unproven, with the old file beside"
  )
  func withoutHeaderAndLog() throws {
    for name in ["one", "two"] {
      #expect(try run("add-generic-password -a a -s \(name) -w -", input: "secret \(name)").status == 0)
    }
    // The tables were made in this order: `header` is the first one, `audit` the last one, an index or two between.
    var file = try Data(contentsOf: database)
    try #require(file.count == 9 * 4096)
    for page in [2, 9] { file.replaceSubrange((page - 1) * 4096..<page * 4096, with: Data(count: 4096)) }
    try file.write(to: database)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: database.path)
    let refused = try run("verify --repair")
    #expect(refused.status == 65 && refused.errors.contains("--accept-unproven"), "\(refused.errors)")
    #expect(try Data(contentsOf: database) == file)
    #expect(try run("verify --accept-unproven").status == 64)
    let repaired = try run("verify --repair --accept-unproven")
    #expect(repaired.status == 0, "\(repaired.errors)")
    #expect(repaired.output.components(separatedBy: ": kept, unproven\n").count == 3, "\(repaired.output)")
    #expect(repaired.output.contains("older versions") && repaired.output.contains("who may vouch"))
    #expect(repaired.errors.contains("the file as it was is now \(database.path).before-repair"), "\(repaired.errors)")
    #expect(try Data(contentsOf: URL(filePath: database.path + ".before-repair")) == file)
    for name in ["one", "two"] { #expect(try run("find-generic-password -s \(name) -w").output == "secret \(name)\n") }
    #expect(try run("presence").output.hasPrefix("may vouch: nobody"))
  }

  @Test("While another process has the keychain open, the repair explains the next step and changes nothing")
  func held() throws {
    #expect(try run("add-generic-password -a a -s one -w -", input: "secret one").status == 0)
    try spoilFirstPage()
    let before = try Data(contentsOf: database)
    let holder = open(database.path, O_RDONLY | O_CLOEXEC)
    // The lock of SQLite for a process that reads; 37 is F_OFD_SETLK, which Swift does not see.
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_start = 0x4000_0002
    lock.l_len = 510
    #expect(fcntl(holder, 37, &lock) == 0)
    let refused = try run("verify --repair --json")
    #expect(refused.status == 75, "\(refused.output)")
    #expect(refused.output.contains("end that process (fuser \(database.path) shows it)"), "\(refused.output)")
    #expect(try Data(contentsOf: database) == before)
    close(holder)
    #expect(try run("verify --repair").status == 0)
  }

  @Test(
    "A log whose file is gone or empty is left as it is by every command, and the message says so",
    arguments: [true, false])
  func theLogAlone(isGone: Bool) throws {
    #expect(try run("add-generic-password -a a -s one -w -", input: "secret one").status == 0)
    // Its content is not looked at: that there is some is enough.
    let log = URL(filePath: database.path + "-wal")
    try Data(repeating: 7, count: 5000).write(to: log)
    if isGone { try FileManager.default.removeItem(at: database) } else { #expect(truncate(database.path, 0) == 0) }
    for line in [
      "find-generic-password -s one -w", "add-generic-password -a a -s two -w -", "status", "verify", "verify --repair",
    ] {
      let refused = try run(line, input: "secret two")
      #expect(refused.status == 65 && refused.errors.contains(log.path), "\(line): \(refused.errors)")
    }
    #expect(try Data(contentsOf: log) == Data(repeating: 7, count: 5000))
    #expect(FileManager.default.fileExists(atPath: database.path) == !isGone)
  }
}
