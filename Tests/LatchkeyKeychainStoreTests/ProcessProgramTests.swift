import LatchkeyTestSupport
import Foundation
import Glibc
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import Testing

/// Programs as users run them, each a process of its own with an environment of its own.
@Suite("Programs") struct ProcessProgramTests {
  private func entitlements(_ folder: Folder, _ name: String, groups: [String]) throws -> String {
    let strings = groups.map { "<string>\($0)</string>" }.joined()
    return try folder.write(
      "\(name).entitlements",
      Array(
        """
        <plist version="1.0"><dict><key>application-identifier</key><string>T.\(name)</string>
        <key>keychain-access-groups</key><array>\(strings)</array></dict></plist>
        """.utf8), mode: 0o644)
  }

  @Test("two with entitlements that share a group see each other's items and nothing else") func shared() throws {
    let folder = try Folder()
    let mail = try ["LATCHKEY_ENTITLEMENTS": entitlements(folder, "mail", groups: ["T.shared"])]
    let notes = try ["LATCHKEY_ENTITLEMENTS": entitlements(folder, "notes", groups: ["T.shared"])]
    let place = ["LATCHKEY_KEYCHAIN": folder.path + "/k.db"]
    func run(_ program: [String: String], _ words: String...) throws -> RunningProgram.Result {
      try RunningProgram(words, place.merging(program) { $1 }).result()
    }
    #expect(try run(mail, "add", "for both").status == 0)
    #expect(try run(mail, "add", "mail only", "T.mail").status == 0)
    #expect(try run(notes, "list").lines == ["for both"])
    #expect(try run(notes, "add", "notes only", "T.notes").status == 0)
    #expect(try run(notes, "add", "from notes").status == 0)
    #expect(try Set(run(mail, "list").lines) == ["for both", "mail only", "from notes"])
    #expect(try Set(run(notes, "list").lines) == ["for both", "notes only", "from notes"])
    #expect(try run(notes, "list", "T.mail").output.contains("not among this program's"))
    #expect(try run(notes, "add", "planted", "T.mail").status == 1)

    // A program that states no entitlements has one group of its own; one that writes itself "*" sees everything.
    #expect(try run([:], "list").output.contains("no item matches"))
    let dumper = try ["LATCHKEY_ENTITLEMENTS": entitlements(folder, "dumper", groups: ["*"])]
    #expect(try Set(run(dumper, "list").lines) == ["for both", "mail only", "notes only", "from notes"])
  }

  @Test("one with entitlements beside it has a group of its own, and what lay in the common one stays there")
  func entitlementsBesideProgram() throws {
    let folder = try Folder()
    let place = ["LATCHKEY_KEYCHAIN": folder.path + "/k.db"]
    let (notes, mail) = (folder.path + "/notes", folder.path + "/mail")
    func run(_ program: String, _ words: String...) throws -> RunningProgram.Result {
      defer { unlink(program) }
      return try RunningProgram(words, place, copy: program).result()
    }
    // Without entitlements both have the common group, as every program has.
    #expect(try run(notes, "add", "common").status == 0)
    #expect(try run(mail, "list").lines == ["common"])
    _ = try entitlements(folder, "notes", groups: [])
    #expect(try run(notes, "list").output.contains("no item matches"))
    #expect(try run(notes, "add", "own").status == 0)
    #expect(try run(notes, "list").lines == ["own"])
    #expect(try run(mail, "list").lines == ["common"])
    // One that names the common group, too, finds both.
    _ = try entitlements(folder, "notes", groups: ["T.notes", "default"])
    #expect(try Set(run(notes, "list").lines) == ["own", "common"])
    // An unreadable file is an error, never the common group.
    try folder.write("notes.entitlements", Array("nonsense".utf8))
    let malformed = try run(notes, "add", "misplaced")
    #expect(malformed.status == 1 && malformed.output.contains("notes.entitlements"))
  }

  @Test(
    "a link to nothing in the place of its entitlements is an error, as a missing file is that the environment names")
  func danglingEntitlements() throws {
    let folder = try Folder()
    let place = ["LATCHKEY_KEYCHAIN": folder.path + "/k.db"]
    let (program, link) = (folder.path + "/notes", folder.path + "/notes.entitlements")
    #expect(symlink(folder.path + "/gone.entitlements", link) == 0)
    let refused = try RunningProgram(["add", "misplaced"], place, copy: program).result()
    unlink(program)
    let named = try RunningProgram(["add", "misplaced"], place.merging(["LATCHKEY_ENTITLEMENTS": link]) { $1 }).result()
    for result in [refused, named] {
      #expect(result.status == 1 && result.output.contains("\(link) cannot be read"), "\(result.output)")
    }
    #expect(try folder.names() == ["notes.entitlements"], "no keychain is made")
    // What the link leads to counts once it is there.
    _ = try entitlements(folder, "gone", groups: [])
    #expect(try RunningProgram(["add", "own"], place, copy: program).result().status == 0)
    // A loop of links is no program without entitlements either.
    unlink(link)
    #expect(symlink(link, link) == 0)
    unlink(program)
    #expect(try RunningProgram(["add", "misplaced"], place, copy: program).result().status == 1)
  }

  @Test("A program with malformed entitlements gets an error at every call, and no keychain is made") func malformed()
    throws
  {
    let folder = try Folder()
    let path = try folder.write("bad.entitlements", Array("<plist><array/></plist>".utf8))
    let result = try RunningProgram(
      ["list"], ["LATCHKEY_KEYCHAIN": folder.path + "/k.db", "LATCHKEY_ENTITLEMENTS": path]
    ).result()
    #expect(result.status == 1 && result.output.contains(path))
    #expect(try folder.names() == ["bad.entitlements"])
  }

  @Test("one that is a bundle of tests never meets its user's keychain") func bundleOfTests() throws {
    let folder = try Folder()
    let place = ["HOME": folder.path, "TMPDIR": folder.path]
    let bundle = folder.path + "/appPackageTests.xctest"
    let tests = try RunningProgram(["add", "of a test"], place, copy: bundle).result()
    #expect(tests.status == 0, "\(tests.diagnostics)")
    #expect(try folder.names() == ["appPackageTests.xctest"])
    #expect(try RunningProgram(["add", "of its user"], place).result().status == 0)
    #expect(try folder.names().contains(".local"))
    unlink(bundle)
    #expect(try RunningProgram(["list"], place, copy: bundle).result().output.contains("no item matches"))
    #expect(try RunningProgram(["list"], place).result().lines == ["of its user"])
  }

  @Test("a temporary keychain goes with its process; a killed one's goes with the next") func temporary() throws {
    let folder = try Folder()
    let environment = ["LATCHKEY_KEYCHAIN": "temporary:", "TMPDIR": folder.path]
    let killed = try RunningProgram(["path"], environment)
    let left = try killed.line()
    #expect(left.hasPrefix(folder.path + "/latchkey-keychain-") && access(left, F_OK) == 0)
    killed.kill()
    #expect(access(left, F_OK) == 0)
    let living = try RunningProgram(["path"], environment)
    let own = try living.line()
    #expect(access(own, F_OK) == 0 && access(left, F_OK) != 0)
    let another = try RunningProgram(["path"], environment)
    #expect(try another.line() != own)
    #expect(access(own, F_OK) == 0, "a living process keeps its own")
    #expect(try another.result().status == 0)
    #expect(try living.result().status == 0)
    #expect(try folder.names().isEmpty)
  }

  @Test("the default place is the user's data folder, made for the user alone") func defaultPlace() throws {
    let folder = try Folder()
    let result = try RunningProgram(["add", "a"], ["HOME": folder.path]).result()
    #expect(result.status == 0)
    #expect(try folder.mode(".local/share/latchkey") == 0o700)
    #expect(try folder.mode(".local/share/latchkey/keychain.key") == 0o600)
    #expect(try RunningProgram(["list"], ["XDG_DATA_HOME": folder.path + "/.local/share"]).result().lines == ["a"])
  }

  @Test("A warning about the key file is printed once on standard error, without secrets") func warning() throws {
    let folder = try Folder()
    let result = try RunningProgram(["add", "hunter2"], ["LATCHKEY_KEYCHAIN": folder.path + "/k.db"]).result()
    #expect(result.diagnostics.components(separatedBy: "root key is a file").count == 2)
    #expect(!result.diagnostics.contains("hunter2"))
    let quiet = try RunningProgram(["path"], ["LATCHKEY_KEYCHAIN": "temporary:", "TMPDIR": folder.path]).result()
    #expect(quiet.diagnostics.isEmpty)
  }

  @Test("with a credential the mark of a keychain stands beside it", arguments: [false, true])
  func markOfCredential(_ isGone: Bool) throws {
    let (folder, credentials) = (try Folder(), try Folder())
    try credentials.write("latchkey.root", (0..<32).map { $0 }, mode: 0o400)
    let path = folder.path + "/k.db"
    let service = ["LATCHKEY_KEYCHAIN": path, "CREDENTIALS_DIRECTORY": credentials.path]
    #expect(try RunningProgram(["add", "a"], service).result().status == 0)
    func lose() throws {
      for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
      #expect((isGone ? unlink(path) : truncate(path, 0)) == 0)
    }
    try lose()
    for words in [["list"], ["add", "b"], ["passcode", "battery staple"]] {
      let refused = try RunningProgram(words, service).result()
      #expect(refused.status == 1 && refused.output.contains(path + ".used"), "\(words): \(refused.output)")
    }
    // Both gone: nothing tells, and only who writes makes another one.
    #expect(unlink(path + ".used") == 0)
    #expect(try RunningProgram(["list"], service).result().output.contains("no item matches"))
    #expect(try RunningProgram(["add", "b"], service).result().status == 0)
    #expect(try RunningProgram(["list"], service).result().lines == ["b"])
  }

  @Test("a service gets its root key and its passcode by credentials") func credentials() throws {
    let (folder, credentials) = (try Folder(), try Folder())
    let key = try credentials.write("latchkey.root", (0..<32).map { $0 }, mode: 0o400)
    let place = ["LATCHKEY_KEYCHAIN": folder.path + "/k.db"]
    let service = place.merging(["CREDENTIALS_DIRECTORY": credentials.path]) { $1 }
    #expect(try RunningProgram(["add", "a"], service).result().status == 0)
    #expect(try !folder.names().contains("keychain.key"))
    #expect(try RunningProgram(["list"], place).result().status == 1, "without its root key nothing opens")

    // The keychain is given a passcode, at the least cost that a program accepts.
    var configuration = KeychainDatabase.Configuration(path: folder.path + "/k.db")
    configuration.rootKey = .keyFile(path: key)
    configuration.scryptRounds = 1 << 15
    let database = try KeychainDatabase(configuration)
    try database.setPasscode(RingFixture.passcode, current: nil)
    database.close()
    #expect(try RunningProgram(["list"], service).result().output.contains("not unlocked yet"))
    try credentials.write("latchkey.passcode", RingFixture.passcode + [10], mode: 0o400)
    #expect(try RunningProgram(["list"], service).result().lines == ["a"])
    try credentials.write("latchkey.passcode", Array("wrong".utf8), mode: 0o400)
    let refused = try RunningProgram(["list"], service).result()
    #expect(refused.status == 1 && refused.output.contains("passcode is wrong") && !refused.output.contains("correct"))
  }
}

/// A `keychain-worker` as a user's program: nothing of this process's environment reaches it but where libraries are.
final class RunningProgram {
  struct Result {
    let status: Int32
    let output: String
    let diagnostics: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  private let process = TestProcess()
  private let (input, output, diagnostics) = (Pipe(), Pipe(), Pipe())

  /// - Parameter copy: where a copy of it is made and run; nil: none.
  init(_ words: [String], _ environment: [String: String], copy: String? = nil) throws {
    let built = try Self.worker()
    if let copy {
      // By a program: what this process has open for writing a child of another test may hold, and then nobody can run it.
      try #require(try ProgramRun("/bin/cp", [built.path, copy]).status == 0)
    }
    process.executableURL = copy.map { URL(filePath: $0) } ?? built
    process.arguments = ["program"] + words
    process.environment = environment.merging(
      ProcessInfo.processInfo.environment.filter { $0.key == "LD_LIBRARY_PATH" }
    ) {
      own, _ in own
    }
    (process.standardInput, process.standardOutput, process.standardError) = (input, output, diagnostics)
    try process.start()
  }

  deinit { if process.isRunning { kill() } }

  /// The program.
  static func worker() throws -> URL {
    URL(filePath: try ProgramPath.built("keychain-worker"))
  }

  /// Its first line, while it goes on.
  func line() throws -> String {
    var bytes: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  func kill() {
    process.kill()
    process.waitUntilExit()
  }

  /// Lets it go on to its end.
  func result() throws -> Result {
    try input.fileHandleForWriting.close()
    let output = try self.output.fileHandleForReading.readToEnd() ?? Data()
    let diagnostics = try self.diagnostics.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
      diagnostics: String(decoding: diagnostics, as: UTF8.self))
  }
}
