import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Dispatch
import Foundation
import LatchkeyEnrollmentProtocol
import Testing

/// The program `latchkey-server`, as its users run it.
@Suite("The program latchkey-server", .serialized)
struct ServerProgramTests {
  private struct Place: ~Copyable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-program-\(UUID().uuidString)")
    deinit { try? FileManager.default.removeItem(at: folder) }
  }

  private static func program() throws -> URL {
    URL(filePath: try ProgramPath.built("latchkey-server"))
  }

  private func run(_ folder: URL, _ words: [String], input: String = "") async throws -> ForeignProgram {
    try #require(
      try await ForeignProgram.run(
        try Self.program().path, words + (words.contains("--help") ? [] : ["--state", folder.path]), input: input))
  }

  @Test("Users, accounts and devices are stored, and the chain is whole; an error ends with its status")
  func operating() async throws {
    let place = Place()
    let added = try await run(place.folder, ["user", "add", "ann", "--password", "-"], input: "long enough\n")
    #expect(added.status == 0)
    #expect(
      try await run(place.folder, ["user", "add", "ann", "--password", "-"], input: "long enough\n").status == 65)
    #expect(try await run(place.folder, ["user", "add", "bob", "--password", "-"], input: "short\n").status == 64)
    #expect(try await run(place.folder, ["user", "add", "bob"]).status == 64)
    #expect(
      try await run(place.folder, ["user", "password", "bob", "--password", "-"], input: "long enough").status == 44)
    let opened = try await run(place.folder, ["account", "open", "ann", "Cash", "EUR", "10.00", "--json"])
    #expect(opened.output.hasPrefix(#"{"event":"opened","account":""#))
    #expect(opened.output.hasSuffix("{\"event\":\"done\"}\n"))
    #expect(try await run(place.folder, ["account", "open", "ann", "Cash", "EUR", "1e3"]).status == 64)
    #expect(try await run(place.folder, ["device", "list", "ann"]).status == 0)
    let missing = try await run(place.folder, ["device", "revoke", String(repeating: "0", count: 32), "--json"])
    #expect(missing.status == 44)
    #expect(missing.output.contains(#"{"event":"error","code":"itemNotFound""#))
    let list = place.folder.appending(path: "list.crl").path
    // A command that reads makes no authority.
    let none = try await run(place.folder, ["crl", list, "--json"])
    #expect(none.status == 65)
    #expect(none.output.contains(#""code":"noAuthority""#))
    #expect(!FileManager.default.fileExists(atPath: place.folder.appending(path: "ca.pem").path))
    #expect(!FileManager.default.fileExists(atPath: list))
    let ledger = try await run(place.folder, ["ledger", "verify"])
    #expect(ledger.status == 0)
    #expect(ledger.output.contains("EUR  adds up"))
    #expect(try await run(place.folder, ["certificate", "revoke", "0a1b"]).status == 44)
    #expect(try await run(place.folder, ["certificate", "revoke", "x"]).status == 64)
    let audit = try await run(place.folder, ["audit", "verify"])
    #expect(audit.status == 0)
    #expect(audit.output.contains("whole"))
    #expect(try await run(place.folder, ["--listen", "nowhere"]).status == 64)
    let mode = try FileManager.default.attributesOfItem(atPath: place.folder.path)[.posixPermissions] as? Int
    #expect(mode == 0o700)
  }

  @Test(
    "It serves on loopback, prints the next commands, three with the sample bank, and ends gracefully at SIGTERM",
    arguments: [false, true])
  func serving(hasBank: Bool) async throws {
    let place = Place()
    let process = TestProcess()
    let output = Pipe()
    process.executableURL = try Self.program()
    process.arguments = ["--listen", "127.0.0.1:0", "--state", place.folder.path] + (hasBank ? ["--sample-bank"] : [])
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.start()
    defer { if process.isRunning { process.terminate() } }
    let lines = await Self.lines(of: output.fileHandleForReading, until: hasBank ? " transfer --from" : " enroll ")
    #expect(lines.first?.hasPrefix("Listening on https://localhost:") == true)
    #expect(lines.contains { $0.hasSuffix(" accounts") } == hasBank)
    let enroll = try #require(lines.first { $0.contains(" enroll ") })
    let words = enroll.split(separator: " ").map(String.init)
    #expect(words.contains("--user") && words.contains("demo"))
    let ca = try #require(words.last)
    let password = try #require(words.first { $0.hasPrefix("@") }).dropFirst()
    for secret in [String(password), place.folder.appending(path: "ca-key.pem").path] {
      let mode = try FileManager.default.attributesOfItem(atPath: secret)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
    let text = try String(contentsOfFile: String(password), encoding: .utf8).trimmingCharacters(in: .newlines)
    let url = try #require(words.first { $0.hasPrefix("https://") })
    let body = "{\"user\":\"demo\",\"password\":\"\(text)\"}"
    if let login = try await ForeignProgram.runOrSkip(
      "/usr/bin/curl",
      ["-sS", "--cacert", ca, "-H", "content-type: application/json", "-d", body, url + Routes.login])
    {
      #expect(login.output.contains("\"token\":"))
    }
    // Another one of the same folder and name is refused in words.
    let second = try await run(place.folder, ["--listen", "127.0.0.1:0"])
    #expect(second.status == 69)
    #expect(second.output.contains("--node"))
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(process.terminationReason == .exit)
    #expect(!lines.joined().contains(text))
    let list = place.folder.appending(path: "list.crl").path
    #expect(try await run(place.folder, ["crl", list]).status == 0)
    let verified = try await ForeignProgram.runOrSkip(
      "/usr/bin/openssl",
      ["crl", "-inform", "DER", "-in", list, "-noout", "-CAfile", place.folder.appending(path: "ca.pem").path])
    if let verified { #expect(verified.output.contains("verify OK")) }
  }

  @Test(
    "A forged balance or entry in the database is found, though all sums are zero", .needs("python3"))
  func forgedLedger() async throws {
    let place = Place()
    let database = place.folder.appending(path: "server.db").path
    #expect(try await run(place.folder, ["user", "add", "ann", "--password", "-"], input: "long enough\n").status == 0)
    for number in ["111111111111", "222222222222"] {
      let words = ["account", "open", "ann", "Cash", "EUR", "10.00", "--number", number]
      #expect(try await run(place.folder, words).status == 0)
    }
    #expect(try await run(place.folder, ["ledger", "verify"]).status == 0)
    let update = "UPDATE ledger_accounts SET balance = balance"
    try await ServedProgram.forge(database, "\(update) + 500 WHERE number = '111111111111'")
    let made = try await run(place.folder, ["ledger", "verify"])
    #expect(made.status == 1)
    #expect(made.output.contains("EUR  is off by 5.00"))
    #expect(made.output.contains("111111111111  is not the sum of its entries"))
    #expect(!made.output.contains("222222222222"))
    // The amount added to one account is subtracted from another, so that the sum is right.
    try await ServedProgram.forge(database, "\(update) - 500 WHERE number = '222222222222'")
    let moved = try await run(place.folder, ["ledger", "verify", "--json"])
    #expect(moved.status == 1)
    #expect(moved.output.contains(#"{"event":"sum","currency":"EUR","amount":"0.00"}"#))
    #expect(moved.output.contains(#"{"event":"account","number":"111111111111","reason":"is not the sum of"#))
    #expect(moved.output.contains(#"{"event":"account","number":"222222222222","reason":"is not the sum of"#))
    #expect(!moved.output.contains("done"))
    try await ServedProgram.forge(database, "\(update) - 500 WHERE number = '111111111111'")
    try await ServedProgram.forge(database, "\(update) + 500 WHERE number = '222222222222'")
    #expect(try await run(place.folder, ["ledger", "verify"]).status == 0)
    // The audit chains know nothing of balances, and say nothing of them.
    #expect(try await run(place.folder, ["audit", "verify"]).status == 0)
  }

  @Test("Another server's store under one state folder and a store with lost chains have different errors")
  func otherStore() async throws {
    let place = Place()
    let other = Place()
    let server = try await ServedProgram(["--state", place.folder.path])
    #expect(server.end() == 0)
    let heads = try await run(place.folder, ["audit", "head"])
    try heads.output.write(
      to: place.folder.appending(path: "audit-heads"), atomically: true, encoding: .utf8)
    #expect(try await run(place.folder, ["audit", "verify"]).status == 0)
    let words = ["user", "add", "bob", "--password", "-", "--node", "elsewhere"]
    #expect(try await run(other.folder, words, input: "long enough\n").status == 0)
    let store = "sqlite:" + other.folder.appending(path: "server.db").path
    let wrong = try await run(place.folder, ["audit", "verify", "--store", store])
    #expect(wrong.status == 1)
    #expect(wrong.output.contains("the chain is gone"))
    #expect(wrong.output.contains("audit-heads was noted of other chains, and \(store) has none of them"))
    #expect(wrong.output.contains("wants that one's --state"))
    let json = try await run(place.folder, ["audit", "verify", "--json", "--store", store])
    #expect(json.output.contains(#"{"event":"otherStore","file":""#))
    #expect(try await run(other.folder, ["audit", "verify"]).output.contains("other chains") == false)
  }

  @Test(
    "With --json a command line that is wrong is an event, too",
    arguments: [
      ["serve", "--listen", "nowhere"], ["user", "add"], ["nonsense"], ["audit", "verify", "--agains", "x"],
      ["--ca", "x"], ["serve", "--password-cost", "19"], ["serve", "--password-cost", "13"],
    ])
  func usage(_ words: [String]) async throws {
    let plain = try await ServedProgram.run(words)
    #expect(plain.status == 64)
    #expect(!plain.output.contains("{\"event\""))
    let reported = try await ServedProgram.run(words + ["--json"])
    #expect(reported.status == 64)
    let event = try #require(reported.output.split(separator: "\n").first { $0.hasPrefix("{") }, "\(reported.output)")
    struct Told: Decodable {
      let event: String
      let code: String
      let message: String
    }
    let error = try JSONDecoder().decode(Told.self, from: Data(event.utf8))
    #expect(error.event == "error" && error.code == "usage" && !error.message.isEmpty)
    #expect(reported.output.contains(error.message.split(separator: "\n")[0]))
  }

  @Test(
    "A user's hash costs what the operator says, and what the server says after the next login",
    .needs("python3", "curl"))
  func passwordCost() async throws {
    let place = Place()
    let state = ["--state", place.folder.path]
    let added = try await run(place.folder, ["user", "add", "ann", "--password", "-"], input: "long enough\n")
    #expect(added.status == 0)
    let read =
      "import sqlite3,sys;print(sqlite3.connect(sys.argv[1]).execute('SELECT password_hash FROM users').fetchone()[0])"
    func hash() async throws -> String? {
      try await ForeignProgram.run(
        "/usr/bin/python3", ["-c", read, place.folder.appending(path: "server.db").path])?.output
    }
    let first = try #require(try await hash())
    #expect(first.hasPrefix("$scrypt$ln=14,r=8,p=1$"))
    let ca = place.folder.appending(path: "ca.pem").path
    let server = try await ServedProgram(
      state + ["--password-cost", "15", "--store", "sqlite:\(place.folder.path)/server.db"])
    let curl = [
      "-sS", "--cacert", ca, "-H", "content-type: application/json", "-d", #"{"user":"ann","password":"long enough"}"#,
      "https://localhost:\(server.port)" + Routes.login,
    ]
    let login = try #require(try await ForeignProgram.run("/usr/bin/curl", curl))
    #expect(login.output.contains("\"token\":"))
    #expect(server.end() == 0)
    #expect(try await hash()?.hasPrefix("$scrypt$ln=15,r=8,p=1$") == true)
    let changed = ["user", "password", "ann", "--password", "-", "--password-cost", "16"]
    #expect(try await run(place.folder, changed, input: "long enough\n").status == 0)
    #expect(try await hash()?.hasPrefix("$scrypt$ln=16,r=8,p=1$") == true)
  }

  @Test(
    "An address that logged in is let in after a restart, while strange ones are locked out", .needs("python3", "curl"))
  func knownAddress() async throws {
    let place = Place()
    let words = ["--state", place.folder.path, "--store", "sqlite:\(place.folder.path)/server.db"]
    #expect(try await run(place.folder, ["user", "add", "ann", "--password", "-"], input: "long enough\n").status == 0)
    func login(_ server: ServedProgram, from address: String) async throws -> String {
      let curl = [
        "-sS", "--cacert", place.folder.appending(path: "ca.pem").path, "--interface", address, "-H",
        "content-type: application/json", "-d", #"{"user":"ann","password":"long enough"}"#,
        "https://127.0.0.1:\(server.port)" + Routes.login,
      ]
      return try await ForeignProgram.run("/usr/bin/curl", curl)?.output ?? ""
    }
    let first = try await ServedProgram(words)
    let entered = try await login(first, from: "127.0.0.1")
    #expect(first.end() == 0)
    #expect(entered.contains("\"token\":"))
    let lock = "UPDATE users SET failures = 100, locked_until = 99999999999"
    try await ServedProgram.forge(place.folder.appending(path: "server.db").path, lock)
    let second = try await ServedProgram(words)
    #expect(try await login(second, from: "127.0.0.1").contains("\"token\":"))
    #expect(try await login(second, from: "127.0.0.2").contains("not_authenticated"))
    #expect(second.end() == 0)
    let unlocked = try await run(place.folder, ["user", "unlock", "ann", "--json"])
    #expect(unlocked.output == "{\"event\":\"unlocked\",\"user\":\"ann\"}\n{\"event\":\"done\"}\n")
    let third = try await ServedProgram(words)
    #expect(try await login(third, from: "127.0.0.2").contains("\"token\":"))
    #expect(third.end() == 0)
  }

  @Test("Heads stored elsewhere reveal an older database, and an emptied one")
  func auditHeads() async throws {
    let place = Place()
    let database = place.folder.appending(path: "server.db")
    for name in ["ann", "bob"] {
      let words = ["user", "add", name, "--password", "-", "--node", name]
      #expect(try await run(place.folder, words, input: "long enough\n").status == 0)
      if name == "ann" { try FileManager.default.copyItem(at: database, to: database.appendingPathExtension("old")) }
    }
    let head = try await run(place.folder, ["audit", "head"])
    #expect(head.status == 0)
    #expect(head.output.hasPrefix("latchkey-audit-heads 1\n"))
    let kept = place.folder.appending(path: "kept").path
    try head.output.write(toFile: kept, atomically: true, encoding: .utf8)
    #expect(try await run(place.folder, ["audit", "verify", "--against", kept, "--allow-unsigned"]).status == 0)
    try FileManager.default.removeItem(at: database)
    try FileManager.default.moveItem(at: database.appendingPathExtension("old"), to: database)
    #expect(try await run(place.folder, ["audit", "verify"]).status == 0)
    let older = try await run(place.folder, ["audit", "verify", "--against", kept, "--allow-unsigned"])
    #expect(older.status == 1)
    #expect(older.output.contains("bob-operator  0 entries  the chain is gone"))
    #expect(
      try await run(place.folder, ["audit", "verify", "--against", place.folder.path + "/server.db"]).status == 65)
  }

  @Test(
    "What is refused of a policy says how it is written",
    arguments: [
      ["--certificate-lifetime", "1m"], ["--certificate-lifetime", "x"], ["--session-lifetime", "31d"],
      ["--approval-from", "1000"], ["--approval-sum", "-1.00"], ["--daily-sum", "some"],
      ["--approval-cool-down", "400d"],
      ["--crl-url", "https://example.org/crl"], ["--crl-url", "http://a b"],
    ])
  func policies(_ words: [String]) async throws {
    let place = Place()
    let refused = try await run(place.folder, ["serve"] + words)
    #expect(refused.status == 64)
    #expect(refused.output.contains(words[0]))
    #expect(!FileManager.default.fileExists(atPath: place.folder.path))
  }

  @Test(
    "A time without its unit is refused, with the ones that it may have",
    arguments: ["--certificate-lifetime", "--session-lifetime", "--approval-cool-down", "--date-ahead"])
  func units(_ option: String) async throws {
    let place = Place()
    let refused = try await run(place.folder, ["serve", option, "3600"])
    #expect(refused.status == 64)
    #expect(refused.output.contains(option), "\(refused.output)")
    #expect(refused.output.contains("say what unit it is: 3600s, 3600m, 3600h or 3600d"), "\(refused.output)")
    for text in ["d", "-1d", "1w", "1.5d", "１d"] {
      for words in [["\(option)=\(text)"], [option, text]] {
        let refused = try await run(place.folder, ["serve"] + words)
        #expect(
          refused.status == 64 && refused.output.contains("a number with its unit"), "\(words): \(refused.output)")
      }
    }
    // A time, and one that is longer than may be.
    for text in ["9999999999d", "99999999999999999999999d"] {
      let refused = try await run(place.folder, ["serve", option, text])
      #expect(refused.status == 64 && refused.output.contains("Error: \(option) is "), "\(text): \(refused.output)")
    }
    let help = try await run(place.folder, ["serve", "--help"])
    #expect(help.status == 0)
    // Lines break anywhere between words.
    let reported = help.output.split { $0.isWhitespace }.joined(separator: " ")
    for value in ["(default: 24h)", "(default: 15m)", "(default: 0s)", "(default: 90d)"] {
      #expect(reported.contains(value), "\(value)")
    }
    #expect(!FileManager.default.fileExists(atPath: place.folder.path))
  }

  @Test("With the old protocol it prints the commands for that, too, with the files that it was given itself")
  func nextStepsOfTheOldProtocol() async throws {
    let place = Place()
    try FileManager.default.createDirectory(
      at: place.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let (aes, mac) = (place.folder.appending(path: "an aes key").path, place.folder.appending(path: "mac").path)
    for file in [aes, mac] {
      #expect(
        FileManager.default.createFile(
          atPath: file, contents: Data(String(repeating: "k", count: 32).utf8), attributes: [.posixPermissions: 0o600]))
    }
    let process = TestProcess()
    let output = Pipe()
    process.executableURL = try Self.program()
    process.arguments = [
      "--listen", "127.0.0.1:0", "--state", place.folder.path, "--documented", "--encryption-key", "@\(aes)",
      "--mac-key", "@\(mac)",
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.start()
    defer { if process.isRunning { process.terminate() } }
    let lines = await Self.lines(of: output.fileHandleForReading, until: " transfer --documented")
    let enroll = lines.filter { $0.contains(" enroll ") }
    #expect(enroll.count == 2)
    #expect(enroll.first?.contains("--documented") == false)
    #expect(
      enroll.last?.hasSuffix(" --documented --encryption-key @'\(aes)' --mac-key @\(mac)") == true, "\(lines)")
    #expect(lines.contains { $0.hasSuffix(" accounts --documented") })
    #expect(
      lines.last?.hasSuffix(
        " transfer --documented --from 123123456456 --to 654654123123 --amount 12.50") == true, "\(lines)")
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  private static func lines(of file: FileHandle, until words: String) async -> [String] {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "lines").async {
        var text = ""
        while !text.contains(words) || text.last != "\n" {
          let data = file.availableData
          if data.isEmpty { break }
          text += String(decoding: data, as: UTF8.self)
        }
        continuation.resume(returning: text.split(separator: "\n").map(String.init))
      }
    }
  }

  @Test("Without the trait, PostgreSQL is refused with what to build")
  func postgres() async throws {
    let place = Place()
    let run = try await run(
      place.folder, ["--store", "postgres://user:secret@127.0.0.1:1/none", "--listen", "127.0.0.1:0"])
    #expect(run.status == 69 || run.status == 75)
    #expect(!run.output.contains("secret"))
  }
}
