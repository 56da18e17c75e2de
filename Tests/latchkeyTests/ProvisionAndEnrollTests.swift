import Foundation
import LatchkeyTestSupport
import Testing

/// A device, an app and a server, a process each: the device is provisioned and enrolled in one session of the secure protocol.
@Suite(.timeLimit(.minutes(5))) struct ProvisionAndEnrollTests {
  @Test("A device is provisioned and enrolled in one session, and is a device of the service then") func oneStory()
    async throws
  {
    let stage = try await Stage()
    let device = try await stage.device("--once")
    try await stage.token()
    let app = try stage.provision()
    #expect(try await app.end() == 0)
    #expect(try await device.end() == 0)
    let name = try #require(stage.enrolled(app.lines).first)
    #expect(stage.enrolled(device.lines) == [name])
    #expect(device.lines.contains { $0.contains("\"isNew\":true") })
    // The steps of an app, in their order.
    let events = app.lines.compactMap { $0.firstMatch(of: /"event":"([A-Za-z]+)"/).map { String($0.output.1) } }
    #expect(events.suffix(5) == ["result", "enrolling", "enrolled", "disconnected", "done"])
    let accounts = try stage.run("accounts", "--keychain", stage.path("lamp.db"), "--json")
    #expect(accounts.status == 0, "\(accounts.errors)")
    #expect(accounts.output.contains("123123456456"))
    // Nothing of what is secret is in what the processes say.
    let token = try stage.text("token")
    let said = (device.lines + app.lines).joined(separator: "\n") + (try stage.text("device.err"))
    #expect(!said.contains(token) && !said.contains("open sesame"))
  }

  @Test("A device that could not enroll is provisioned, both ends say why, and the same command tries again")
  func failuresAndRetries() async throws {
    let stage = try await Stage()
    let device = try await stage.device()
    try stage.write("0123456789abcdef", to: "token")
    let wrong = try stage.provision()
    #expect(try await wrong.end() == 77)
    #expect(await device.wait(for: "\"enrollmentFailed\",\"reason\":\"tokenRefused\""))
    stage.expect(wrong, "tokenRefused", "has joined, and is not enrolled: the server does not accept the token")

    let down = try stage.provision(url: "https://localhost:1")
    #expect(try await down.end() == 75)
    #expect(await device.wait(for: "\"reason\":\"serverUnreachable\""))
    stage.expect(down, "serverUnreachable", "it cannot reach the server")

    let untrusted = try stage.provision(root: nil)
    #expect(try await untrusted.end() == 77)
    #expect(await device.wait(for: "\"reason\":\"untrustedServer\""))
    stage.expect(untrusted, "untrustedServer", "--enroll-ca names who vouches for it")

    try stage.write(ExamplePromptTests.certificate, to: "another.pem")
    let another = try stage.provision(root: stage.path("another.pem"))
    #expect(try await another.end() == 77)
    #expect(await device.wait(for: "no certificate of its authority has the digest"))

    try await stage.token()
    let right = try stage.provision()
    #expect(try await right.end() == 0)
    #expect(stage.enrolled(right.lines).count == 1)
  }

  @Test("A token enrolls one device: a second one is refused, and one that is enrolled keeps its identity")
  func tokenTwice() async throws {
    let stage = try await Stage()
    let device = try await stage.device()
    try await stage.token()
    let first = try stage.provision()
    #expect(try await first.end() == 0)
    let again = try stage.provision()
    #expect(try await again.end() == 0)
    #expect(stage.enrolled(again.lines) == stage.enrolled(first.lines))
    #expect(await device.wait(for: "\"isNew\":false"))

    // An app that names another root for the server changes nothing: the device trusts whom it was enrolled under.
    try stage.write(ExamplePromptTests.certificate, to: "another.pem")
    let another = try stage.provision(root: stage.path("another.pem"))
    #expect(try await another.end() == 0)
    #expect(stage.enrolled(another.lines) == stage.enrolled(first.lines))

    // An app that names another server does not get the device away from its own.
    let elsewhere = try stage.provision(url: "https://localhost:1", root: nil)
    #expect(try await elsewhere.end() == 77)
    stage.expect(elsewhere, "enrolledElsewhere", "it is enrolled with another server")

    let fan = try await stage.device(named: "Fan")
    let second = try stage.provision("Fan")
    #expect(try await second.end() == 77)
    stage.expect(second, "refusedByServer", "the token was used for another device")
    #expect(await fan.wait(for: "log in again for another"))
  }

  @Test("A device without --enroll is provisioned, and takes no enrollment") func withoutTheOption() async throws {
    let stage = try await Stage()
    let device = try await stage.device(enrolls: false)
    try stage.write("0123456789abcdef", to: "token")
    let app = try stage.provision()
    #expect(try await app.end() == 69)
    #expect(await device.wait(for: "\"joined\""))
    stage.expect(app, "unsupported", "has joined, and takes no enrollment: `latchkey device` does with --enroll")
  }

  @Test("A device enrolls although its app is lost meanwhile, and the next session finds it enrolled")
  func cutSession() async throws {
    let stage = try await Stage()
    let device = try await stage.device()
    try await stage.token()
    stage.server.pause()
    defer { stage.server.resume() }
    let lost = try stage.provision()
    #expect(await device.wait(for: "\"enrolling\""))
    lost.kill()
    // At once: the device waits half a minute for the server, which is little for the steps of a test beside others.
    stage.server.resume()
    #expect(try await lost.end() == SIGKILL)
    #expect(await device.wait(for: "\"closed\""), "\(device.lines)")
    let isEnrolled = stage.enrolled(device.lines).isEmpty ? await device.wait(for: "\"enrolled\"") : true
    #expect(isEnrolled, "\(device.lines)")
    let again = try stage.provision()
    #expect(try await again.end() == 0)
    #expect(stage.enrolled(again.lines) == stage.enrolled(device.lines).suffix(1))
    let devices = try stage.run("serve", "device", "list", "demo", "--state", stage.path("server"), "--json")
    #expect(devices.output.split(separator: "\n").count { $0.contains("\"event\":\"device\"") } == 1, "\(devices)")
  }

  @Test("A device that is locked with a passcode nobody types says so, and nothing is enrolled") func lockedKeychain()
    async throws
  {
    let stage = try await Stage()
    try PreparedKeychain.empty.get().write(to: stage.folder)
    let device = try await stage.device(keychain: "keychain.db")
    try await stage.token()
    let app = try stage.provision()
    #expect(try await app.end() == 75)
    stage.expect(app, "notStored", "it cannot keep an identity")
    #expect(await device.wait(for: "\"reason\":\"notStored\""))
  }

  @Test(
    "Options that do not fit each other are refused before anything is searched for",
    arguments: [
      (["device", "--name", "Lamp", "--enroll"], 64, "--enroll goes with --secure"),
      (["device", "--name", "Lamp", "--secure", "--label", "x"], 64, "--label, --keychain, --key-file and"),
      (["provision", "--enroll-token", "-"], 64, "--enroll-token and --enroll-ca go with --enroll"),
      (["provision", "--networks", "--enroll", "https://x"], 64, "--enroll goes without"),
      (["provision", "--enroll", "http://localhost"], 64, "https://HOST"),
      (["provision", "--enroll", "https://localhost/path"], 64, "https://HOST"),
      (["provision", "--enroll", "https://localhost", "--enroll-token", "@/dev/null"], 65, "a token is one word"),
      (["provision", "--enroll", "https://localhost", "--enroll-token", "-"], 65, "a token is one word"),
      (["provision", "--enroll", "https://localhost", "--enroll-ca", "/dev/null"], 65, "is no certificate"),
    ] as [([String], Int32, String)])
  func options(_ words: [String], _ status: Int32, _ text: String) throws {
    let result = try BuiltCommand.run(
      words + ["--hci", "unix-client:/nonexistent/radio"], input: Array("two words\n".utf8))
    #expect(result.status == status, "\(result.errors)")
    #expect(result.errors.contains(text), "\(result.errors)")
  }

  @Test("A token is printed where it was asked for, in a file that only its owner may read") func tokenFile()
    async throws
  {
    let stage = try await Stage()
    try await stage.token()
    let mode = try FileManager.default.attributesOfItem(atPath: stage.path("token"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let printed = try stage.run(
      "device", "token", stage.url, "--user", "demo", "--password", "@\(stage.path("server/demo-password"))", "--ca",
      stage.path("server/ca.pem"))
    #expect(printed.status == 0)
    #expect(printed.output.wholeMatch(of: /[A-Za-z0-9_-]{43}\n/) != nil)
    let wrong = try stage.run(
      "device", "token", stage.url, "--user", "demo", "--password", "@\(stage.path("code"))", "--ca",
      stage.path("server/ca.pem"))
    #expect(wrong.status == 77)
    #expect(wrong.output.isEmpty)
  }

  /// A radio, a server, and a folder with what is secret.
  private final class Stage {
    let scene: RadioScene
    let server: RunningCommand
    let url: String
    var folder: URL { scene.folder }

    init() async throws {
      scene = try await RadioScene()
      server = try RunningCommand(
        [
          "serve", "--sample-bank", "--listen", "127.0.0.1:0", "--state",
          scene.folder.appendingPathComponent("server").path, "--json",
        ],
        state: scene.folder)
      #expect(await server.wait(for: "\"demo\""))
      let reported = server.lines.joined(separator: "\n")
      url = try #require(reported.firstMatch(of: /https:\/\/localhost:[0-9]+/).map { String($0.output) })
      try write("83629174\n", to: "code")
      try write("open sesame\n", to: "password")
    }

    // Before its folder is gone.
    deinit { server.kill() }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func write(_ text: String, to name: String) throws { _ = try scene.file(name, text) }

    func text(_ name: String) throws -> String {
      try String(contentsOfFile: path(name), encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    /// A device that advertises.
    func device(
      named name: String = "Lamp", enrolls: Bool = true, keychain: String? = nil, _ options: String...
    ) async throws -> RunningCommand {
      let enrollment = ["--enroll", "--keychain", path(keychain ?? "\(name.lowercased()).db")]
      _ = FileManager.default.createFile(atPath: path("device.err"), contents: nil)
      let device = try RunningCommand(
        ["device", "--secure", "--name", name, "--code", "@\(path("code"))", "--json", "--hci", scene.controller]
          + (enrolls ? enrollment : []) + options, state: folder,
        environment: environment, errors: FileHandle(forWritingAtPath: path("device.err")))
      #expect(await device.wait(for: "advertising"))
      return device
    }

    /// An app that provisions, and gives the token in the file.
    func provision(_ name: String = "Lamp", url: String? = nil, root: String? = "server") throws -> RunningCommand {
      let root = root.map { ["--enroll-ca", $0 == "server" ? path("server/ca.pem") : $0] } ?? []
      return try RunningCommand(
        [
          "provision", "--name", name, "--code", "@\(path("code"))", "--ssid", "Home", "--password",
          "@\(path("password"))", "--enroll", url ?? self.url, "--enroll-token", "@\(path("token"))", "--json", "--hci",
          scene.controller,
        ] + root, state: folder, named: "app", environment: environment)
    }

    /// Gets a fresh token into the file.
    func token() async throws {
      let result = try run(
        "device", "token", url, "--user", "demo", "--password", "@\(path("server/demo-password"))", "--ca",
        path("server/ca.pem"), "--out", path("token"))
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.isEmpty)
    }

    func run(_ arguments: String...) throws -> BuiltCommand.Result {
      let own = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
      return try BuiltCommand.run(
        arguments, input: [], folder: folder, environment: own.merging(environment) { $1 })
    }

    private var environment: [String: String] {
      [
        "HOME": folder.path, "LATCHKEY_ENCLAVE": "software", "LATCHKEY_LOG_LEVEL": "trace",
        "LATCHKEY_ASKPASS": "/nonexistent/askpass", "LATCHKEY_KEYCHAIN": path("own.db"),
      ]
    }

    /// The devices of all events that say that one is enrolled.
    func enrolled(_ lines: [String]) -> [String] {
      lines.filter { $0.contains("\"event\":\"enrolled\"") }.compactMap {
        $0.firstMatch(of: /"device":"([0-9a-f]{32})"/).map { String($0.output.1) }
      }
    }

    /// An app ended so, and said before that the device has joined.
    func expect(_ app: RunningCommand, _ code: String, _ words: String) {
      #expect(app.lines.contains { $0.contains("\"event\":\"result\"") }, "\(app.lines)")
      let last = app.lines.last ?? ""
      #expect(last.contains("\"event\":\"error\",\"code\":\"\(code)\"") && last.contains(words), "\(app.lines)")
    }
  }
}
