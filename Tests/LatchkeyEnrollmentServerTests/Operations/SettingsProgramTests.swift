import Foundation
import Glibc
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Testing

/// `latchkey-server serve` by options, by variables and by a file, and what `--check` says of them.
@Suite("Settings of the program latchkey-server")
struct SettingsProgramTests {
  private struct Place: ~Copyable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-settings-\(UUID().uuidString)")
    var state: String { folder.appending(path: "state").path }
    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Writes a file of this mode.
    func file(_ text: String, mode: Int = 0o600) throws -> String {
      let path = folder.appending(path: "config.json").path
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      return path
    }
  }

  private func run(_ words: [String], _ variables: [String: String] = [:]) async throws -> ForeignProgram {
    let environment = ["PATH": "/usr/bin:/bin"].merging(variables) { $1 }
    return try #require(
      try await ForeignProgram.run(
        try ProgramPath.built("latchkey-server"), words, environment: environment))
  }

  private func line(_ run: ForeignProgram, _ key: String) -> String? {
    run.output.split(separator: "\n").first { $0.hasPrefix("\(key)  ") }.map(String.init)
  }

  @Test("The command line comes before a variable, a variable before the file, the file before the default")
  func precedence() async throws {
    let place = try Place()
    let file = try place.file(
      #"{"connections": 11, "devices-per-user": 12, "session-lifetime": "7m", "json-depth": 9, "log-format": "json"}"#)
    let run = try await run(
      ["serve", "--check", "--state", place.state, "--config", file, "--connections", "31"],
      [
        "LATCHKEY_SERVER_CONNECTIONS": "21", "LATCHKEY_SERVER_DEVICES_PER_USER": "22",
        "LATCHKEY_SERVER_CERTIFICATE_LIFETIME": "", "LATCHKEY_SERVER_UNKNOWN": "x",
      ])
    #expect(run.status == 0, "\(run.output)")
    #expect(line(run, "connections") == "connections  31  (command line)")
    #expect(line(run, "devices-per-user") == "devices-per-user  22  (LATCHKEY_SERVER_DEVICES_PER_USER)")
    #expect(line(run, "session-lifetime") == "session-lifetime  7m  (\(file))")
    #expect(line(run, "json-depth") == "json-depth  9  (\(file))")
    #expect(line(run, "certificate-lifetime") == "certificate-lifetime  24h  (default)")
    #expect(run.output.contains("LATCHKEY_SERVER_UNKNOWN names no option"))
    #expect(!FileManager.default.fileExists(atPath: place.state))
  }

  @Test("Flags and options that stand several times are in a file and in a variable, too")
  func forms() async throws {
    let place = try Place()
    let file = try place.file(#"{"tls-name": ["a.example.org", "b.example.org"], "json": true}"#)
    let run = try await run(["--check", "--state", place.state], ["LATCHKEY_SERVER_CONFIG": file])
    #expect(run.status == 0, "\(run.output)")
    #expect(
      run.output.contains(
        #"{"event":"setting","name":"tls-name","values":["a.example.org","b.example.org"],"origin":"\#(file)"}"#))
    let other = try await self.run(
      ["--check", "--state", place.state],
      ["LATCHKEY_SERVER_TLS_NAME": "c.example.org,d.example.org", "LATCHKEY_SERVER_JSON": "false"])
    #expect(line(other, "tls-name") == "tls-name  c.example.org, d.example.org  (LATCHKEY_SERVER_TLS_NAME)")
    #expect(line(other, "json") == "json  false  (LATCHKEY_SERVER_JSON)")
  }

  @Test(
    "What is wrong with a file is named with the file and the key",
    arguments: [
      (#"{"listenn": "127.0.0.1:1"}"#, 65, "listenn"), (#"{"session_lifetime": "1m"}"#, 65, "say session-lifetime"),
      (#"{"check": true}"#, 65, "check"), (#"{"config": "x"}"#, 65, "config"), (#"{"help": true}"#, 65, "help"),
      (#"{"listen": true}"#, 65, "listen in "), (#"{"json": "yes"}"#, 65, "json in "),
      (#"{"json": 1}"#, 65, "json in "), (#"{"admin-listen": "1", "operations-listen": "2"}"#, 65, "are one option"),
      (#"{"tls-name": [true]}"#, 65, "tls-name in "),
      (#"{"listen": null}"#, 65, "listen in "), (#"{"listen": "a:1", "listen": "b:1"}"#, 65, "config.json"),
      ("[]", 65, "is not an object"), ("{", 65, "config.json"), ("listen: x", 65, "config.json"),
      (#"{"listen": "nowhere"}"#, 64, "listen in "), (#"{"session-lifetime": "15"}"#, 64, "session-lifetime in "),
      (#"{"session-lifetime": "1s"}"#, 64, "session-lifetime in "), (#"{"connections": 0}"#, 64, "connections in "),
      (#"{"ca": "/nowhere"}"#, 64, "ca in "), (#"{"log-level": "loud"}"#, 64, "log-level in "),
    ] as [(String, Int32, String)])
  func wrongFile(text: String, status: Int32, part: String) async throws {
    let place = try Place()
    let run = try await run(["serve", "--check", "--state", place.state, "--config", try place.file(text)])
    #expect(run.status == status, "\(run.output)")
    #expect(run.output.contains(part), "\(run.output)")
    #expect(!FileManager.default.fileExists(atPath: place.state))
  }

  @Test(
    "A variable that is wrong is named",
    arguments: [("JSON", "perhaps"), ("LISTEN", "nowhere"), ("SESSION_LIFETIME", "9"), ("CONNECTIONS", "-1")])
  func wrongVariable(name: String, value: String) async throws {
    let place = try Place()
    let run = try await run(["serve", "--check", "--state", place.state], ["LATCHKEY_SERVER_\(name)": value])
    #expect(run.status == 64)
    #expect(run.output.contains("LATCHKEY_SERVER_\(name)"), "\(run.output)")
  }

  @Test("A file that is missing, or that others may write, is not read; nor one with a secret that others may read")
  func openFile() async throws {
    let place = try Place()
    let missing = try await run(["--check", "--config", place.folder.path + "/none.json"])
    #expect(missing.status == 74 && missing.output.contains("none.json"), "\(missing.output)")
    #expect(try await run(["--check", "--config", place.folder.path]).status == 74)
    let pipe = place.folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(try await run(["--check", "--config", pipe]).status == 74, "a FIFO that nobody writes")
    let empty = try await run(["--check", "--config", try place.file(""), "--state", place.state])
    #expect(empty.status == 65 && empty.output.contains("not JSON"), "\(empty.output)")
    for mode in [0o666, 0o622, 0o660] {
      let run = try await run(["--check", "--config", try place.file("{}", mode: mode), "--state", place.state])
      #expect(run.status == 77 && run.output.contains("chmod go-w"), "\(run.output)")
    }
    let plain = #"{"store": "postgres://latchkey@db.example.org/latchkey"}"#
    let secret = #"{"store": "postgres://latchkey:swordfish@127.0.0.1:1/latchkey"}"#
    let open = try await run(["--check", "--config", try place.file(secret, mode: 0o644), "--state", place.state])
    #expect(open.status == 77 && open.output.contains("store is a secret"), "\(open.output)")
    let key = try await run(
      ["--check", "--config", try place.file(#"{"mac-key": "0123456789"}"#, mode: 0o640), "--state", place.state])
    #expect(key.status == 77 && key.output.contains("mac-key is a secret"), "\(key.output)")
    let closed = try await run(["--check", "--config", try place.file(secret), "--state", place.state])
    #expect(closed.status != 77 && !closed.output.contains("swordfish"), "\(closed.output)")
    #expect(line(closed, "store")?.hasPrefix("store  postgres://latchkey@127.0.0.1:1/latchkey  (") == true)
    #expect(
      try await run(["--check", "--config", try place.file(plain, mode: 0o644), "--state", place.state]).status != 77)
  }

  @Test(
    "No password of a store's address is printed, wherever it stands",
    arguments: [
      "postgres://ann:swordfish@db/x", "postgres://ann:sword:swordfish@db/x", "postgres://db/x?password=swordfish",
      "postgres://db/x?sslpassword=swordfish&password=swordfish", "postgres://db/x?password=a&password=swordfish",
      "postgres://db/x?PASSWORD=swordfish", "postgres://db/x?p%61ssword=swordfish",
      "postgres://db/x?sslmode=a&swordfish",
      "postgresql://ann:swordfish@db/x?sslpassword=swordfish", "postgres://db/x?oauth_client_secret=swordfish",
      "postgres://ann:a/swordfish@db/x", "postgres://ann:a?swordfish@db/x", "postgres:ann:swordfish@db",
      "host=db password=swordfish", "mysql://ann:swordfish@db", "postgres://db/x?password=a%26b&sslpassword=swordfish",
    ])
  func passwords(_ store: String) async throws {
    let place = try Place()
    for words in [
      ["serve", "--check", "--store", store], ["--check", "--config", try place.file(#"{"store": "\#(store)"}"#)],
    ] {
      let run = try await run(words + ["--state", place.state])
      #expect(line(run, "store")?.hasPrefix("store  ") == true, "\(run.output)")
      #expect(!run.output.contains("swordfish"), "\(run.output)")
    }
  }

  @Test("Help and a version need no file that can be read, and an operator's command gets its store from the file")
  func otherCommands() async throws {
    let place = try Place()
    let broken = ["LATCHKEY_SERVER_CONFIG": "/nowhere.json"]
    #expect(try await run(["--help"], broken).status == 0)
    #expect(try await run(["help", "serve"], broken).status == 0)
    #expect(try await run(["--version"], broken).status == 0)
    #expect(try await run(["user", "unlock", "ann"], broken).status == 74)
    let file = try place.file("{\"state\": \"\(place.state)\", \"listen\": \"127.0.0.1:0\"}")
    let missing = try await run(["user", "unlock", "ann", "--config", file])
    #expect(missing.status == 74 && missing.output.contains(place.state), "\(missing.output)")
    let passwords = try #require(
      try await ForeignProgram.run(
        try ProgramPath.built("latchkey-server"), ["user", "add", "ann", "--password", "-", "--config", file],
        input: "long enough\n"))
    #expect(passwords.status == 0, "\(passwords.output)")
    #expect(try await run(["user", "unlock", "ann", "--config", file]).status == 0)
    #expect(try await run(["user", "unlock", "ann"], ["LATCHKEY_SERVER_STATE": place.state]).status == 0)
  }

  @Test("A check reads certificates, keys and the store, names all that is wrong, and changes nothing")
  func check() async throws {
    let place = try Place()
    let server = try await ServedProgram(["--state", place.state])
    #expect(server.end() == 0)
    let before = try FileManager.default.contentsOfDirectory(atPath: place.state).sorted()
    let good = try await run(["serve", "--check", "--state", place.state])
    #expect(good.status == 0 && good.output.contains("The configuration is good"), "\(good.output)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.state).sorted() == before)
    let certificate = place.state + "/ca.pem"
    let wrong = try await run([
      "serve", "--check", "--state", place.state, "--tls-cert", certificate, "--tls-key",
      place.state + "/answer-key.pem",
      "--attestation-roots", place.folder.path + "/none.pem",
    ])
    #expect(wrong.status == 65, "\(wrong.output)")
    #expect(wrong.output.contains("do not match") && wrong.output.contains("none.pem"), "\(wrong.output)")
    let apple = try await run([
      "--check", "--state", place.state, "--require-attestation", "--attestation-apple-roots", "apple",
    ])
    #expect(apple.status == 0, "\(apple.output)")
    let notApple = try await run([
      "--check", "--state", place.state, "--attestation-apple-roots", place.state + "/answer-key.pem",
    ])
    #expect(notApple.status == 65 && notApple.output.contains("holds no CERTIFICATE"), "\(notApple.output)")
    let same = try await run([
      "--check", "--state", place.state, "--listen", "127.0.0.1:7001", "--operations-listen", "127.0.0.1:7001",
    ])
    #expect(same.status == 64 && same.output.contains("are the same"), "\(same.output)")
    let folder = place.folder.path
    let foreign = try await run(["--check", "--state", place.state, "--store", "sqlite:\(folder)/config.json"])
    #expect(foreign.status == 0)
    _ = try place.file(
      "not a database, but long enough for the header of one, which has a hundred bytes in all, and a few more")
    let damaged = try await run(["--check", "--state", place.state, "--store", "sqlite:\(folder)/config.json"])
    #expect(damaged.status != 0, "\(damaged.output)")
    let place2 = try await run(["--check", "--state", place.state, "--store", "mysql://x"])
    #expect(place2.status == 64)
  }

  @Test("A newer store is a failure of the check", .needs("python3")) func newerStore() async throws {
    let place = try Place()
    let server = try await ServedProgram(["--state", place.state])
    #expect(server.end() == 0)
    try await ServedProgram.forge(place.state + "/server.db", "INSERT INTO schema_version (version) VALUES (900)")
    let run = try await run(["--check", "--state", place.state])
    #expect(run.status == 65 && run.output.contains("use a newer program"), "\(run.output)")
  }
}
