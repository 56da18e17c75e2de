import LatchkeyTestSupport
import Foundation
import Testing

/// The commands of enrollment against a server that runs beside, as a user would type them.
@Suite struct EnrollmentCommandTests {
  @Test("A machine enrolls and transfers") func aMachineEnrollsAndTransfers() async throws {
    let stage = try await Stage()
    try stage.play("enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --json")
    try stage.play("enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --json")
    try stage.play("accounts --json")
    try stage.play("login --json")
    try stage.play("login --user demo --password @\(stage.password) --json")
    try stage.play("login --key latchkey-approval-default --json")
    try stage.play("transfer --from 123123456456 --to 654654123123 --amount 12.50 --currency EUR --json")
    try stage.play("transfer --from 654654123123 --to 123123456456 --amount 1000.00 --currency EUR --json")
    try stage.play("transfer --from 123123456456 --to 654654123123 --amount 99999.00 --currency EUR --json", 65)
    try stage.play("transfer --from 123123456456 --to 654654123123 --amount 999.00 --currency USD --json", 65)
    try stage.play("transfer --pending --json")
    try stage.play("accounts")
    try stage.play("login --user demo --password @\(stage.ca) --json", 77)
    try stage.play("enroll \(stage.url) --user demo --password @\(stage.password) --label other --json", 77)
    try stage.play(
      "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --label p12 --pkcs12 --json")
    try stage.play("accounts --label p12 --json")
    let (tomorrow, past) = (Stage.day(1), Stage.day(-2))
    try stage.play(
      "transfer --from 123123456456 --to 654654123123 --amount 1.00 --currency EUR --date \(tomorrow)T00:00:00Z --json")
    try stage.play("transfer --from 123123456456 --to 654654123123 --amount 1.00 --currency EUR --date \(tomorrow)")
    #expect(
      stage.lines.removeLast()
        == "Transferred 1.00 EUR from 123123456456 to 654654123123, dated \(tomorrow); 123123456456 has 1985.50 now")
    stage.lines.removeLast()
    try stage.play(
      "transfer --from 123123456456 --to 654654123123 --amount 1.00 --currency EUR --date \(past)T00:00:00Z --json", 65)
    #expect(try await stage.stop() == 0)
    try stage.play("accounts --json", 69)
    try Golden.expect(stage.lines, are: "enrollment")
  }

  @Test("Commands that renew, change the key and use the device at once leave a device that works")
  func manyAtOnce() async throws {
    let stage = try await Stage(hasPasscode: false)
    try stage.play("enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --json")
    for _ in 0..<3 {
      try await stage.playAtOnce([
        "renew --rotate-key", "accounts", "renew --rotate-key", "accounts", "accounts", "renew --force", "accounts",
        "accounts",
      ])
    }
    try stage.play("accounts --json")
    try stage.play("status --json")
    #expect(stage.lines.contains { $0.contains(#""event":"counts""#) })
    #expect(!stage.lines.contains { $0.contains(#""isChangingKey":true"#) })
  }

  @Test("A device is renewed, revoked and enrolled again") func aDeviceIsRenewedRevokedAndEnrolledAgain() async throws {
    let stage = try await Stage(hasPasscode: false)
    let enroll = "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --json"
    try stage.play("status", 69)
    try stage.play(enroll)
    let device = try #require(stage.lines.joined().firstMatch(of: /"device":"([0-9a-f]{32})"/).map { String($0.1) })
    try stage.play("status --json")
    #expect(stage.lines.contains { $0.contains(#""event":"counts""#) && $0.contains(device) })
    try stage.play("renew --json")
    #expect(stage.lines.contains { $0.contains(#""event":"notDue""#) })
    try stage.play("renew --force --json")
    #expect(stage.lines.contains { $0.contains(#""event":"renewed""#) && $0.contains(#""newKey":false"#) })
    try stage.play("forget --json", 77)
    try stage.play("request \(stage.url)/v1/device --require-signed-response")
    #expect(stage.lines.last?.contains(#""device":"\#(device)""#) == true)
    try stage.play("request GET \(stage.url)/v1/nothing -f", 22)
    try stage.play("renew --rotate-key --json")
    #expect(stage.lines.contains { $0.contains(#""event":"renewed""#) && $0.contains(#""newKey":true"#) })
    try stage.play("accounts --json")
    // The operator ends it; the server that runs hears of it within half a second.
    try stage.play("serve device revoke \(device) --state \(stage.state) --json")
    try stage.play("status --json", until: 77)
    try stage.play("status --offline --json")
    try stage.play(enroll)
    #expect(stage.lines.last { $0.contains(#""event":"enrolled""#) }?.contains(#""isNew":true"#) == true)
    try stage.play("transfer --from 123123456456 --to 654654123123 --amount 12.50 --currency EUR --json")
    try stage.play("revoke --json")
    try stage.play("accounts --json", 69)
    try stage.play(enroll)
    try stage.play("forget --force --json")
    try stage.play("status --json", 69)
    #expect(try await stage.stop() == 0)
  }

  @Test("A device enrolls at the legacy service, and alerts have a title")
  func anOldServiceIsEnrolledAtAndAlertsHaveATitle() async throws {
    let (aes, mac) = (String(repeating: "a", count: 32), String(repeating: "m", count: 32))
    let stage = try await Stage(
      serving: ["--documented", "--encryption-key", "@aes", "--mac-key", "@mac"], files: ["aes": aes, "mac": mac],
      hasPasscode: false)
    try stage.write(["other": String(repeating: "x", count: 32), "pin": "4711"])
    let enroll =
      "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --documented --pin @pin"
    try stage.play("\(enroll) --encryption-key @aes --mac-key @mac")
    // The document's login fetches the accounts.
    let enrolled = Array(stage.lines.dropFirst())
    #expect(enrolled.first?.hasPrefix("Enrolled at https://localhost:") == true)
    #expect(enrolled.dropFirst() == ["123123456456  1000.00  Checking", "654654123123  5000.00  Savings"])

    let unsecure = "latchkey: Unsecure Connection: We're unable to"
    let verify = try stage.play("\(enroll) --label mac --encryption-key @aes --mac-key @other", 65)
    #expect(verify.hasPrefix("\(unsecure) verify account data validity."))
    let again = try stage.play("accounts --documented --label mac", 65)
    #expect(again == verify)
    let login = try stage.play("login --documented --label mac --user demo --password @\(stage.password)", 65)
    #expect(login == verify)
    let interpret = try stage.play("\(enroll) --label aes --encryption-key @other --mac-key @mac --json", 65)
    #expect(interpret.hasPrefix("\(unsecure) interpret account data validity."))
    #expect(
      stage.lines.last?.hasPrefix(#"{"event":"error","code":"cannotInterpret","message":"Unsecure Connection: "#)
        == true)
    let untrusted = try stage.play("enroll \(stage.url) --user demo --password @\(stage.password) --label ca", 77)
    #expect(untrusted.contains("latchkey: Unsecure Connection: The server is not trusted: "))
    #expect(try await stage.stop() == 0)
  }

  @Test(
    "A key without a user guard approves nothing, and nothing is enrolled or sent for it; a refusal leaves no key",
    .soak(derivations: 30))
  func approvalKeysAreGuarded() async throws {
    let stage = try await Stage(serving: ["--devices-per-user", "1"])
    let enroll = "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca)"
    try stage.play("enclave create bare")
    let bare = try stage.play("\(enroll) --approval-key bare --json", 64)
    #expect(bare.contains("`latchkey enclave create LABEL --guard user-presence`"), "\(bare)")
    let missing = try stage.play("\(enroll) --approval-key missing --json", 44)
    #expect(missing.contains("`latchkey enclave list`"), "\(missing)")
    #expect(!stage.lines.contains { $0.contains("started") })
    try stage.play("status", 69)
    // The next step in the message works.
    try stage.play("enclave create mine --guard user-presence")
    try stage.play("\(enroll) --approval-key mine --json")
    #expect(stage.lines.contains { $0.contains(#"{"event":"approvalKey","label":"mine""#) })

    // The user may have one device.
    let second = try stage.play("\(enroll) --label second", 77)
    #expect(second.contains("may have no more"), "\(second)")
    try stage.play("enclave list --json")
    #expect(!stage.lines.contains { $0.contains("latchkey-identity-second") })
    try stage.play("accounts")

    let identity = try stage.play("device register-key latchkey-identity-default", 64)
    #expect(identity.contains("asks for no consent"), "\(identity)")
    let guarded = try stage.play("\(enroll) --guard passcode", 64)
    #expect(guarded.contains("`latchkey revoke` ends the device"), "\(guarded)")

    try stage.play("enclave create another --guard user-presence")
    let another = try stage.play("login --key another", 64)
    #expect(another.contains(#"by the approval key "mine""#), "\(another)")

    try stage.play("enclave delete mine")
    let transfer = "transfer --from 654654123123 --to 123123456456 --amount 1000.00 --currency EUR"
    for command in [transfer, "login --key mine"] {
      let lost = try stage.play(command, 44)
      #expect(lost.contains("`latchkey revoke` ends the device, and `latchkey enroll` begins anew"), "\(lost)")
    }
    let again = try stage.play(enroll)
    #expect(again.contains("`latchkey revoke` ends the device; then enroll again"), "\(again)")
    try stage.play("\(enroll) --json")
    #expect(stage.lines.contains { $0.contains(#"{"event":"noApprovalKey","reason":""#) })
    try stage.play("status --offline")
    #expect(stage.lines.contains { $0.hasPrefix("approval key") && $0.contains("`latchkey revoke`") })
    try stage.play("revoke")
    try stage.play("\(enroll) --guard passcode")
    try stage.play("\(transfer) --json")
    #expect(stage.lines.contains { $0.contains(#""isApproved":true"#) })

    // No recipient exists.
    #expect(try await stage.stop() == 0)
    let offline = try stage.play("device register-key bare", 64)
    #expect(offline.contains("asks for no consent"), "\(offline)")
  }

  @Test(
    "A new key under the registered key's label is reported as another key, by every command that needs it",
    .soak(derivations: 25))
  func replacedApprovalKey() async throws {
    let stage = try await Stage()
    let enroll = "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca)"
    let transfer = "transfer --from 654654123123 --to 123123456456 --amount 1000.00 --currency EUR"
    try stage.play("enclave create mine --guard user-presence")
    try stage.play("\(enroll) --approval-key mine")
    try stage.play("enclave delete mine")
    // Without a guard the advice was to make one, with one to ask for a fresh challenge.
    for keyGuard in ["none", "user-presence"] {
      try stage.play("enclave create mine --guard \(keyGuard)")
      for command in ["login --key mine", transfer] {
        let reported = try stage.play(command, 44)
        #expect(
          reported.contains(
            "the key \"mine\" in the enclave is another one than this device has registered, so it approves nothing")
            && reported.contains("`latchkey revoke` ends the device, and `latchkey enroll` begins anew"), "\(reported)")
      }
      if keyGuard == "none" { try stage.play("enclave delete mine") }
    }
    try stage.play("status --offline")
    #expect(
      stage.lines.contains {
        $0.hasPrefix("approval key") && $0.contains("is another one, which approves nothing")
          && $0.hasSuffix("`latchkey revoke`, then `latchkey enroll`")
      }, "\(stage.lines)")
    stage.lines = []
    try stage.play("status --offline --json")
    #expect(stage.lines.contains { $0.contains(#""approvalKeyState":"replaced","approvalKeyLost":true"#) })
    let again = try stage.play(enroll)
    #expect(again.contains("is another one, which approves nothing. `latchkey revoke` ends the device"), "\(again)")
    stage.lines = []
    try stage.play("transfer --pending")
    #expect(stage.lines.count == 1, "\(stage.lines)")
    // The way out.
    try stage.play("revoke")
    try stage.play("\(enroll) --approval-key mine")
    try stage.play("\(transfer) --json")
    #expect(stage.lines.contains { $0.contains(#""isApproved":true"#) })
    try stage.play("status --offline --json")
    #expect(stage.lines.contains { $0.contains(#""approvalKeyState":"registered","approvalKeyLost":false"#) })
    #expect(try await stage.stop() == 0)
  }

  @Test(
    "Where nobody can be asked, or answers wrongly, the message says what is done, what is not, and what finishes it",
    .soak(derivations: 20))
  func nobodyCanBeAsked() async throws {
    let stage = try await Stage()
    try stage.write(["wrong": "#!/bin/sh\necho another passcode\n"])
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: stage.folder.appendingPathComponent("wrong").path)
    let enroll = "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca)"
    let transfer = "transfer --from 654654123123 --to 123123456456 --amount 1000.00 --currency EUR"
    try stage.play("enclave create mine --guard user-presence")

    let finish = "Where you can be asked (at a terminal, by the program in LATCHKEY_ASKPASS, "
    let next = "`latchkey device register-key mine` registers it"
    let enrolled = try stage.play("\(enroll) --approval-key mine", 36, asking: nil)
    #expect(stage.lines.contains { $0.hasPrefix("Enrolled at ") })
    #expect(
      enrolled.contains("this device is enrolled, and no approval key is registered: ") && enrolled.contains(finish)
        && enrolled.contains(next), "\(enrolled)")
    let nobody = try stage.play("device register-key mine", 36, asking: nil)
    #expect(
      nobody.contains("nothing was registered: ") && nobody.contains("there is no terminal to ask at")
        && nobody.contains(next), "\(nobody)")
    let wrong = try stage.play("device register-key mine", 51, asking: "wrong")
    #expect(
      wrong.contains("nothing was registered: ") && wrong.contains("the passcode is wrong") && wrong.contains(next),
      "\(wrong)")
    let login = try stage.play("login --key mine", 77)
    #expect(login.contains("`latchkey device register-key mine` registers this one"), "\(login)")
    // The next steps in the messages work.
    try stage.play("device register-key mine")
    try stage.play("login --key mine")

    let unapproved = try stage.play(transfer, 36, asking: nil)
    #expect(unapproved.contains("nothing was booked: there is no terminal to ask at"), "\(unapproved)")
    stage.lines = []
    try stage.play("transfer --pending")
    #expect(stage.lines.count == 1, "\(stage.lines)")

    // Without a key of one's own the device is enrolled, and the same command once more makes one.
    let other = "\(enroll) --label other"
    let without = try stage.play(other, asking: nil)
    #expect(
      without.contains("there is no approval key, so large transfers are refused: ") && without.contains(finish)
        && without.contains("the same command once more makes one"), "\(without)")
    #expect(!without.contains("..") && !without.contains("set-passcode"), "\(without)")
    try stage.play("\(other) --json")
    #expect(stage.lines.contains { $0.contains(#"{"event":"approvalKey","label":"latchkey-approval-other""#) })
    #expect(try await stage.stop() == 0)
  }

  @Test("A value that a device has from its registration is not ignored when it is given again")
  func fixedOnceEnrolled() async throws {
    let stage = try await Stage(hasPasscode: false)
    let enroll = "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca)"
    try stage.play("\(enroll) --device kitchen")
    // The same again changes nothing.
    try stage.play("\(enroll) --device kitchen")
    let name = try stage.play("\(enroll) --device cellar", 64)
    #expect(
      name.contains(
        "this device is enrolled already, under the name \"kitchen\", and --device names a new one: leave it out")
        && name.contains("`latchkey revoke` ends the device, and the same command then enrolls it anew"), "\(name)")
    let file = try stage.play("\(enroll) --pkcs12 --json", 64)
    #expect(file.contains("with a key that was made here, and --pkcs12 is for a new device: leave it out"), "\(file)")
    #expect(stage.lines.last?.hasPrefix(#"{"event":"error","code":"alreadyEnrolled""#) == true)
    try stage.play("revoke")
    try stage.play("\(enroll) --pkcs12 --device cellar")
    try stage.play("\(enroll) --pkcs12 --device cellar")
    #expect(try await stage.stop() == 0)
  }

  @Test(
    "Of two that enroll, renew or transfer at once with one keychain, one waits: nothing is made in vain, or by chance")
  func atOnce() async throws {
    let stage = try await Stage(hasPasscode: false)
    let enroll = "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --json"
    let enrolled = try await stage.playAtOnce(enroll, times: 3)
    #expect(enrolled.map { $0.filter { $0.contains(#""isNew":true"#) }.count }.sorted() == [0, 0, 1], "\(enrolled)")
    stage.lines = []
    try stage.play("serve device list demo --state \(stage.state) --json")
    #expect(stage.lines.filter { $0.contains(#""event":"device""#) }.count == 1, "\(stage.lines)")
    try await stage.playAtOnce("renew --new-key --json", times: 2)
    let transfers = try await stage.playAtOnce(
      "transfer --from 123123456456 --to 654654123123 --amount 0.07 --currency EUR --json", times: 4)
    let keys = transfers.joined().compactMap {
      $0.firstMatch(of: /"idempotencyKey":"([^"]+)","isReplayed":false/).map { String($0.1) }
    }
    #expect(Set(keys).count == 4, "\(transfers)")
    stage.lines = []
    try stage.play("accounts")
    #expect(stage.lines.contains { $0.hasPrefix("123123456456  999.72 EUR") }, "\(stage.lines)")
    #expect(try await stage.stop() == 0)
  }

  @Test("A failure is reported with the server that was asked, and with the next step")
  func nextSteps() async throws {
    let stage = try await Stage()
    let enroll = "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca)"
    try stage.play(enroll, asking: nil)
    let large = try stage.play("transfer --from 654654123123 --to 123123456456 --amount 1000.00 --currency EUR", 77)
    #expect(
      large.contains(
        "`latchkey device register-key KEY` registers one of the enclave, and `latchkey enroll` once more"),
      "\(large)")
    let locked = try stage.play("accounts", 36, asking: nil, passcode: false)
    #expect(locked.contains("the keychain is locked: give --passcode, or set LATCHKEY_PASSCODE_FILE"), "\(locked)")
    #expect(try await stage.stop() == 0)
    let transfer = "transfer --from 123123456456 --to 654654123123 --amount 1.00 --currency EUR"
    for command in ["accounts", "login", "renew --force", "revoke", transfer] {
      let reported = try stage.play(command, 69)
      #expect(reported.contains("The server cannot be reached: no connection to \(stage.url)"), "\(reported)")
      #expect(reported.contains("the transfer is saved, and the same command continues it") == (command == transfer))
    }
    stage.lines = []
    try stage.play("transfer --pending")
    #expect(stage.lines.count == 2, "\(stage.lines)")
  }

  @Test("A full standard output ends every enrollment and operator command with 74")
  func fullOutput() async throws {
    let stage = try await Stage(hasPasscode: false)
    try stage.play("enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca)")
    for command in [
      "accounts", "accounts --json", "status", "status --offline --json", "login", "login --json", "renew",
      "transfer --from 123123456456 --to 654654123123 --amount 1.00 --currency EUR --json",
      "serve audit verify --state \(stage.state)", "serve ledger verify --state \(stage.state)",
      "serve device list demo --state \(stage.state)",
    ] {
      let reported = try stage.play(
        command, 74, output: try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full")))
      // A list ends where it stands, and has changed nothing.
      let cause = command.hasPrefix("serve device list") ? "latchkey: " : "latchkey: the command is done, but "
      #expect(reported.contains(cause + "standard output cannot be written"), "\(reported)")
    }
    #expect(try await stage.stop() == 0)
  }

  @Test("A server without the old protocol is reported as such, with the next step")
  func noOldService() async throws {
    let stage = try await Stage(hasPasscode: false)
    try stage.write(["aes": String(repeating: "a", count: 32), "mac": String(repeating: "m", count: 32), "pin": "4711"])
    let refused = try stage.play(
      "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --documented --pin @pin "
        + "--encryption-key @aes --mac-key @mac", 77)
    #expect(
      refused.contains(
        "there is no old service at this address (status 404): leave --documented out, or let the server speak the old "
          + "protocol, too (`latchkey serve --documented`)"), "\(refused)")
    #expect(try await stage.stop() == 0)
  }

  @Test("The help of serve shows the options of serving, and says where the operator's commands are")
  func helpOfServing() throws {
    func help(_ arguments: String...) throws -> String {
      let result = try BuiltCommand.run(
        arguments, input: [], folder: FileManager.default.temporaryDirectory,
        environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""])
      #expect(result.status == 0)
      return result.output
    }
    for flag in ["--help", "-h"] {
      let options = try help("serve", flag)
      #expect(options.contains("--certificate-lifetime") && options.contains("`latchkey serve help`"), "\(options)")
    }
    let pointer = try help("help", "serve")
    #expect(pointer.contains("`latchkey serve --help`") && pointer.contains("`latchkey serve help`"), "\(pointer)")
    let commands = try help("serve", "help")
    for command in ["user", "account", "device"] { #expect(commands.contains("  \(command) "), "\(commands)") }
    #expect(try help("serve", "user", "--help").contains("add"))
  }

  /// A server, and a user with a keychain; with a passcode, and a program that types it, where keys ask for the user. Each process
  /// derives its key anew.
  final class Stage {
    let url: String
    let ca: String
    let password: String
    let state: String
    var lines: [String] = []
    let folder: URL
    let environment: [String: String]
    private let server: RunningCommand

    /// - Parameters:
    ///   - options: of the server.
    ///   - files: what its options name, by name.
    ///   - hasPasscode: without one no key asks for the user, and no device has an approval key.
    init(
      serving options: [String] = [], files: [String: String] = [:], hasPasscode: Bool = true
    ) async throws {
      folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let passcode = folder.appendingPathComponent("passcode")
      let asking = folder.appendingPathComponent("asking")
      try Data("a long passcode\n".utf8).write(to: passcode)
      try Data("#!/bin/sh\necho a long passcode\n".utf8).write(to: asking)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: passcode.path)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: asking.path)
      var environment = [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder.path,
        "LATCHKEY_KEYCHAIN": folder.appendingPathComponent("keychain.db").path, "LATCHKEY_ENCLAVE": "software",
        "LATCHKEY_ASKPASS": asking.path,
      ]
      if hasPasscode {
        try PreparedKeychain.empty.get().write(to: folder)
        environment["LATCHKEY_PASSCODE_FILE"] = passcode.path
      }
      self.environment = environment
      for (name, text) in files { try Self.write(text, to: folder.appendingPathComponent(name)) }
      let place = folder.path
      state = folder.appendingPathComponent("server").path
      server = try RunningCommand(
        ["serve", "--sample-bank", "--listen", "127.0.0.1:0", "--state", state, "--json"]
          + options.map { $0.hasPrefix("@") && !$0.hasPrefix("@/") ? "@\(place)/\($0.dropFirst())" : $0 }, state: folder
      )
      #expect(await server.wait(for: "\"demo\""))
      let reported = server.lines.joined(separator: "\n")
      url = try #require(reported.firstMatch(of: /https:\/\/localhost:[0-9]+/).map { String($0.output) })
      ca = state + "/ca.pem"
      password = state + "/demo-password"
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Writes files of secrets into the folder that commands run in.
    func write(_ files: [String: String]) throws {
      for (name, text) in files { try Self.write(text, to: folder.appendingPathComponent(name)) }
    }

    private static func write(_ text: String, to file: URL) throws {
      try Data(text.utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    /// Runs a command, and keeps what it prints; returns its complaints.
    ///
    /// - Parameters:
    ///   - asking: the program in this folder that types the passcode; nil for none, and no terminal either.
    ///   - passcode: whether a file unlocks the keychain.
    ///   - output: where it writes to; nil to return it.
    @discardableResult
    func play(
      _ line: String, _ status: Int32 = 0, asking: String? = "asking", passcode: Bool = true, output: FileHandle? = nil
    ) throws -> String {
      let arguments = line.split(separator: " ").map(String.init)
      var environment = environment
      environment["LATCHKEY_ASKPASS"] = asking.map { folder.appendingPathComponent($0).path }
      if !passcode { environment["LATCHKEY_PASSCODE_FILE"] = nil }
      // The tests themselves may have a terminal.
      let result =
        asking == nil
        ? try BuiltCommand.run(
          ["--wait", BuiltCommand.program.path] + arguments, input: [],
          program: URL(fileURLWithPath: "/usr/bin/setsid"),
          folder: folder, environment: environment)
        : try BuiltCommand.run(arguments, input: [], folder: folder, environment: environment, output: output)
      #expect(result.status == status, "\(line): \(result.errors)")
      lines.append("$ latchkey \(line.replacing(folder.path, with: "FOLDER"))")
      lines += result.output.split(separator: "\n").map(String.init)
      return result.errors
    }

    /// Starts a command so often, before the first ends, and waits for all of them; what each prints.
    @discardableResult
    func playAtOnce(_ line: String, times: Int) async throws -> [[String]] {
      try await playAtOnce(Array(repeating: line, count: times))
    }

    /// Starts commands, before the first ends, and waits for all of them; what each prints.
    @discardableResult
    func playAtOnce(_ commands: [String]) async throws -> [[String]] {
      let running = try commands.map { line in
        try RunningCommand(line.split(separator: " ").map(String.init), state: folder, environment: environment)
      }
      var lines: [[String]] = []
      for (line, command) in zip(commands, running) {
        let status = try await command.end()
        #expect(status == 0, "\(line): \(command.lines)")
        lines.append(command.lines)
      }
      return lines
    }

    /// Runs a command again and again, until it ends so.
    func play(_ line: String, until status: Int32) throws {
      let arguments = line.split(separator: " ").map(String.init)
      for _ in 0..<200 {
        let result = try BuiltCommand.run(arguments, input: [], folder: folder, environment: environment)
        if result.status == status { return }
      }
      Issue.record("\(line) never ended with \(status)")
    }

    /// A day, so many days from now: `2026-11-30`.
    static func day(_ distance: Int) -> String {
      String((Date() + Double(distance) * 86_400).formatted(.iso8601).prefix(10))
    }

    /// Ends the server as a signal does.
    func stop() async throws -> Int32 {
      server.interrupt()
      return try await server.end()
    }
  }
}
