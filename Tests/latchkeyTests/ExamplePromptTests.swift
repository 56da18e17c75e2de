import LatchkeyTestSupport
import Crypto
import Foundation
import Testing

/// How the examples' programs end where something is missing: a line that says what, and a status that is not 0. Passwords that they
/// ask for at a terminal are not shown, and the terminal is as it was afterwards.
@Suite(.timeLimit(.minutes(10))) struct ExamplePromptTests {
  private let folder: CommandFolder

  init() throws { folder = try CommandFolder() }

  private func session(_ program: String, _ arguments: [String]) throws -> TerminalSession {
    try TerminalSession(
      arguments, program: Self.place(of: program), folder: folder.url, environment: folder.environment)
  }

  /// A radio for other processes, as long as this object lives, and the setting that names it.
  private func radio() async throws -> (radio: RunningCommand, settings: [String: String]) {
    let place = "\(folder.url.path)/radio"
    let radio = try RunningCommand(["radio", "--json", "--listen", "unix-server:\(place)"], state: folder.url)
    #expect(await radio.wait(for: "listening"))
    return (radio, ["LATCHKEY_HCI": "unix-client:\(place)"])
  }

  @Test("The provisioning app hides the password") func theProvisioningAppHidesThePassword() async throws {
    let (radio, settings) = try await radio()
    let session = try TerminalSession(
      ["Lamp"], program: Self.place(of: "provisioning-app"), folder: folder.url,
      environment: folder.environment.merging(settings) { $1 })
    try session.answer("network:", with: "a network")
    try session.answer("password:", with: "not to be seen")
    try session.wait(for: "scanning")
    // Without its radio it ends.
    radio.kill()
    #expect(session.end() == 69)
    #expect(session.screen.contains("a network") && session.screen.contains(Self.noRadio))
    #expect(!session.screen.contains("not to be seen"))
    #expect(session.isAsBefore)
  }

  @Test("The transfer app does not show the password, and Control-C interrupts it")
  func aPasswordOfTheTransferAppIsNotShownAndInterruptedByControlC() throws {
    let certificate = folder.url.appendingPathComponent("ca.pem")
    try Data(Self.certificate.utf8).write(to: certificate)
    let session = try session("sealed-transfer", ["https://localhost:1", certificate.path, "demo"])
    try session.answer("password:", with: "not to be seen")
    try session.wait(for: "PIN:")
    session.type("12\u{3}")
    #expect(session.end() == 130)
    #expect(session.screen.contains("sealed-transfer: canceled"))
    #expect(!session.screen.contains("not to be seen"))
    #expect(session.isAsBefore)
  }

  private static let noRadio = "there is no Bluetooth radio to use: start one by `latchkey radio --listen "

  /// Runs an example's program to its end.
  private func run(
    _ program: String, _ arguments: [String] = [], input: String = "", _ environment: [String: String] = [:]
  ) throws -> BuiltCommand.Result {
    try BuiltCommand.run(
      arguments, input: Array(input.utf8), program: Self.place(of: program), folder: folder.url,
      environment: folder.environment.merging(environment) { $1 })
  }

  /// The lines of standard error that are the program's own, not the log's.
  private static func reported(_ result: BuiltCommand.Result, by program: String) -> [String] {
    result.errors.split(separator: "\n").filter { $0.hasPrefix("\(program): ") }
      .map { String($0.dropFirst(program.count + 2)) }
  }

  private static func place(of program: String) -> URL {
    BuiltCommand.program.deletingLastPathComponent().appendingPathComponent(program)
  }

  @Test(
    "Unknown arguments are reported with the usage and status 64",
    arguments: [
      ("provisioning-app", []), ("provisioning-app", ["Lamp", "more"]), ("provisioning-app", [""]),
      ("provisioning-device", ["Lamp", "more"]), ("my-blue-app", ["more"]), ("my-blue-device", ["more"]),
      ("sealed-transfer", []), ("sealed-transfer", ["https://localhost", "ca.pem"]), ("keychain-manager", ["more"]),
      ("touch-id-app", []), ("touch-id-app", ["unmake"]), ("touch-id-app", ["make", "more"]), ("touch-id-server", []),
      ("touch-id-server", ["a.pem", "more"]),
    ] as [(String, [String])])
  func usage(program: String, arguments: [String]) throws {
    let result = try run(program, arguments)
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("usage: \(program)") && result.output == "")
  }

  @Test(
    "Wrong arguments are reported with 64, a missing or wrong file with 66",
    arguments: [
      ("sealed-transfer", ["http://localhost", "ca.pem", "demo"], 64, "the server is https://HOST"),
      ("sealed-transfer", ["https://localhost/path", "ca.pem", "demo"], 64, "the server is https://HOST"),
      ("sealed-transfer", ["https://localhost", "none.pem", "demo"], 66, "none.pem cannot be read"),
      ("sealed-transfer", ["https://localhost", "nonsense.pem", "demo"], 66, "nonsense.pem has no certificate in PEM"),
      ("touch-id-server", ["none.pem"], 66, "none.pem cannot be read: `touch-id-app make > key.pem`"),
      ("touch-id-server", ["nonsense.pem"], 66, "nonsense.pem is no public key on P-256 in PEM"),
    ] as [(String, [String], Int32, String)])
  func arguments(program: String, arguments: [String], status: Int32, text: String) throws {
    try Data("nonsense".utf8).write(to: folder.url.appendingPathComponent("nonsense.pem"))
    let result = try run(program, arguments)
    #expect(result.status == status)
    #expect(result.errors.hasPrefix("\(program): \(text)") && result.output == "", "\(result.errors)")
  }

  @Test(
    "without a radio it ends, and says which command starts one",
    arguments: [["provisioning-app", "Lamp"], ["provisioning-device"], ["my-blue-app"], ["my-blue-device"]],
    ["", "unix-client:none"])
  func noRadio(words: [String], controller: String) throws {
    let result = try run(
      words[0], Array(words.dropFirst()), input: "a network\na password\n", ["LATCHKEY_HCI": controller])
    #expect(result.status == 69)
    #expect(result.errors.contains("\(words[0]): \(Self.noRadio)"), "\(result.errors)")
    #expect(!result.output.contains("network:"), "nothing is asked for in vain")
  }

  @Test(
    "a device's name that cannot be advertised whole is refused with 64",
    arguments: ["provisioning-app", "provisioning-device"],
    [
      ([UInt8](repeating: 0x78, count: 30), "has 30 bytes of UTF-8, not 1 to 29"), ([0x4C, 0xFF], "is not UTF-8"),
      (Array("La\nmp".utf8), "has a character that does not show"), (Array("La\u{7F}mp".utf8), "has a character that"),
    ] as [([UInt8], String)])
  func deviceName(program: String, name: ([UInt8], String)) throws {
    // A shell passes any bytes.
    let octal = name.0.map { String(format: "\\%03o", $0) }.joined()
    let result = try BuiltCommand.run(
      ["-c", "exec \"$0\" \"$(printf '\(octal)')\"", Self.place(of: program).path], input: [],
      program: URL(fileURLWithPath: "/bin/sh"), folder: folder.url,
      environment: folder.environment.merging(["LATCHKEY_HCI": "unix-client:none"]) { $1 })
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("\(program): the device's name \(name.1)"), "\(result.errors)")
    #expect(result.output == "")
  }

  @Test(
    "The end of the input is reported if more is required",
    arguments: [
      ("provisioning-app", ["Lamp"], "", "before the network: nothing was sent"),
      ("provisioning-app", ["Lamp"], "a network\n", "before the password: nothing was sent"),
      ("sealed-transfer", ["https://localhost:1", "ca.pem", "demo"], "", "before the password"),
      ("sealed-transfer", ["https://localhost:1", "ca.pem", "demo"], "a password\n", "before the PIN"),
      ("touch-id-server", ["key.pem"], "", "before the signature: `touch-id-app sign` prints it"),
    ])
  func endOfInput(program: String, arguments: [String], input: String, text: String) async throws {
    let (radio, settings) = try await radio()
    defer { withExtendedLifetime(radio) {} }
    try Data(Self.certificate.utf8).write(to: folder.url.appendingPathComponent("ca.pem"))
    try Data(P256.Signing.PrivateKey().publicKey.pemRepresentation.utf8).write(
      to: folder.url.appendingPathComponent("key.pem"))
    let result = try run(program, arguments, input: input, settings)
    #expect(result.status == 65)
    #expect(result.errors.contains("\(program): the input has ended \(text)"), "\(result.errors)")
  }

  @Test("bytes that are not UTF-8 are no network's name and no password")
  func notUTF8() async throws {
    let (radio, settings) = try await radio()
    defer { withExtendedLifetime(radio) {} }
    for (bytes, what) in [([0xFF, 0x0A], "network"), ([0x61, 0x0A, 0xC3, 0x28, 0x0A], "password")]
      as [([UInt8], String)]
    {
      let result = try BuiltCommand.run(
        ["Lamp"], input: bytes, program: Self.place(of: "provisioning-app"), folder: folder.url,
        environment: folder.environment.merging(settings) { $1 })
      #expect(result.status == 65)
      #expect(result.errors == "provisioning-app: the \(what) is not UTF-8: nothing was sent\n")
    }
  }

  @Test("A network name of a wrong length is reported with its limits, and no password is asked for")
  func credentials() async throws {
    let (radio, settings) = try await radio()
    defer { withExtendedLifetime(radio) {} }
    for count in [0, 33] {
      let input = String(repeating: "x", count: count) + "\na password\n"
      let result = try run("provisioning-app", ["Lamp"], input: input, settings)
      #expect(result.status == 65)
      #expect(result.errors == "provisioning-app: the network's name has 1 to 32 bytes, not \(count)\n")
      #expect(result.output == "network:\n")
    }
    // A name may hold the character that stands for bytes that are none; the password's turn comes.
    let result = try run("provisioning-app", ["Lamp"], input: "a\u{FFFD}b\n", settings)
    #expect(result.errors.contains("the input has ended before the password"), "\(result.errors)")
  }

  @Test(
    "A malformed signature, or another key's, is reported",
    arguments: [("nonsense", 65), ("", 65), ("MAYCAQECAQE=", 77)])
  func signature(line: String, status: Int32) throws {
    try Data(P256.Signing.PrivateKey().publicKey.pemRepresentation.utf8).write(
      to: folder.url.appendingPathComponent("key.pem"))
    let result = try run("touch-id-server", ["key.pem"], input: "\(line)\n")
    #expect(result.status == status)
    #expect(result.errors.hasPrefix("touch-id-server: th"))
  }

  @Test(
    "output that cannot be written ends them with 74",
    arguments: [
      ("keychain-manager", []), ("touch-id-app", ["make"]), ("touch-id-server", ["key.pem"]),
      ("sealed-transfer", ["https://localhost:1", "ca.pem", "demo"]),
    ])
  func fullOutput(program: String, arguments: [String]) throws {
    try Data(Self.certificate.utf8).write(to: folder.url.appendingPathComponent("ca.pem"))
    try Data(P256.Signing.PrivateKey().publicKey.pemRepresentation.utf8).write(
      to: folder.url.appendingPathComponent("key.pem"))
    let settings = [
      "LATCHKEY_ENCLAVE": "software", "LATCHKEY_PRESENCE": "program:/bin/true",
      "LATCHKEY_PASSCODE_FILE": program == "touch-id-app" ? try passcode() : "",
    ]
    let result = try BuiltCommand.run(
      arguments, input: [], program: Self.place(of: program), folder: folder.url,
      environment: folder.environment.merging(settings) { $1 },
      output: try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full")))
    #expect(result.status == 74)
    #expect(Self.reported(result, by: program) == ["standard output cannot be written"])
  }

  @Test(
    "so do those that need a radio",
    arguments: [["my-blue-app"], ["my-blue-device"], ["provisioning-device"], ["provisioning-app", "Lamp"]])
  func fullOutputOnTheAir(words: [String]) async throws {
    let (radio, settings) = try await radio()
    defer { withExtendedLifetime(radio) {} }
    let result = try BuiltCommand.run(
      Array(words.dropFirst()), input: Array("nonsense\n".utf8), program: Self.place(of: words[0]), folder: folder.url,
      environment: folder.environment.merging(settings) { $1 },
      output: try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full")))
    #expect(result.status == 74)
    #expect(Self.reported(result, by: words[0]) == ["standard output cannot be written"])
  }

  @Test(
    "entitlements that cannot be read are named, and the status is the error's",
    arguments: [
      ("keychain-manager", [], ""), ("touch-id-app", ["make"], ""), ("touch-id-app", ["sign"], "a challenge"),
    ])
  func entitlements(program: String, arguments: [String], input: String) throws {
    let result = try run(program, arguments, input: input, ["LATCHKEY_ENTITLEMENTS": "/no/such/file"])
    // The low byte of errSecNotAvailable, -25291.
    #expect(result.status == 53)
    #expect(result.output == "")
    #expect(
      result.errors.hasPrefix("\(program): ") && result.errors.contains("the entitlements /no/such/file cannot be read")
    )
  }

  @Test("a password that is set and empty is named, and nothing is saved")
  func emptyPassword() throws {
    let result = try run("keychain-manager", [], ["APP_PUBLIC_PASSWORD": ""])
    #expect(result.status == 64 && result.output == "")
    #expect(result.errors == "keychain-manager: APP_PUBLIC_PASSWORD is empty: give it a password, or unset it\n")
    #expect(!FileManager.default.fileExists(atPath: folder.keychain.path))
  }

  @Test("a link to nothing beside the program is an error, too")
  func danglingEntitlements() throws {
    let copy = folder.url.appendingPathComponent("keychain-manager")
    // By a program: a child of another test may inherit a file that this process has open for writing, and then it cannot be run.
    let copied = try BuiltCommand.run(
      [Self.place(of: "keychain-manager").path, copy.path], input: [], program: URL(fileURLWithPath: "/bin/cp"))
    #expect(copied.status == 0)
    let link = copy.path + ".entitlements"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.url.path + "/gone")
    let result = try BuiltCommand.run([], input: [], program: copy, folder: folder.url, environment: folder.environment)
    #expect(result.status == 53)
    #expect(result.errors.contains("the entitlements \(link) cannot be read"), "\(result.errors)")
  }

  @Test("A missing key, a keychain without a passcode, and an empty challenge are reported")
  func touchID() throws {
    let missing = try run("touch-id-app", ["sign"], input: "a challenge")
    #expect(missing.status == 44 && missing.errors.contains("`touch-id-app make` makes the key my-se-key"))
    let software = ["LATCHKEY_ENCLAVE": "software"]
    let open = try run("touch-id-app", ["make"], software)
    #expect(open.status == 51 && open.errors.contains("(`latchkey keychain set-passcode`)"), "\(open.errors)")
    #expect(open.errors.contains("set LATCHKEY_PRESENCE to"), "\(open.errors)")
    let nothing = try run("touch-id-app", ["sign"])
    #expect(nothing.status == 65 && nothing.errors.contains("there is nothing to sign"))
  }

  /// The file of a passcode that the keychain has now.
  private func passcode() throws -> String {
    let path = folder.url.appendingPathComponent("passcode").path
    try Data("a long passcode\n".utf8).write(to: URL(fileURLWithPath: path))
    #expect(chmod(path, 0o600) == 0)
    try PreparedKeychain.empty.get().write(to: folder.url)
    return path
  }

  @Test("A missing authenticator is reported with the remedy, and no key is made")
  func nobodySeesFingers() throws {
    var settings = ["LATCHKEY_ENCLAVE": "software", "LATCHKEY_PASSCODE_FILE": try passcode()]
    for (presence, text) in [
      ("", "set LATCHKEY_PRESENCE to a comma list of fprintd"),
      ("program:none", "/none cannot be found (No such file or directory): put it there, or mend LATCHKEY_PRESENCE"),
      ("program:passcode", "/passcode cannot be run: run chmod u+x "),
      ("program:.", "is not a plain file: name one in"),
      ("pam:no-such-service", "there is no PAM service no-such-service: make /etc/pam.d/no-such-service"),
    ] {
      settings["LATCHKEY_PRESENCE"] = presence
      let made = try run("touch-id-app", ["make"], settings)
      #expect(made.status == 53 && made.output == "")
      let reported = Self.reported(made, by: "touch-id-app")
      #expect(reported.count == 1 && reported[0].contains(text) && reported[0].hasSuffix(" (-25291)"), "\(reported)")
    }
    #expect(try run("touch-id-app", ["sign"], input: "a challenge", settings).status == 44)
  }

  @Test("A missing enrollment, an unrecognized finger, a locked keychain and a wrong passcode are reported")
  func fingers() throws {
    let (file, finger) = (try passcode(), folder.url.appendingPathComponent("finger").path)
    let verdict = folder.url.appendingPathComponent("verdict")
    try Data("#!/bin/sh\n. '\(verdict.path)'\n".utf8).write(to: URL(fileURLWithPath: finger))
    #expect(chmod(finger, 0o700) == 0)
    var settings = [
      "LATCHKEY_ENCLAVE": "software", "LATCHKEY_PASSCODE_FILE": file, "LATCHKEY_PRESENCE": "program:\(finger)",
    ]
    func expect(_ word: String, _ says: String, _ status: Int32, _ error: String) throws {
      try Data("\(says)\n".utf8).write(to: verdict)
      let result = try run("touch-id-app", [word], input: "a challenge", settings)
      #expect(result.status == status && result.output == "")
      #expect(Self.reported(result, by: "touch-id-app") == [error])
    }
    let empty = "\(finger) says that nothing is enrolled: enroll something there"
    let needs = "the key needs a keychain with a passcode (`latchkey keychain set-passcode`), and a finger"
    try expect("make", "exit 3", 51, "\(needs): \(empty) (-25293)")
    try Data("exit 0\n".utf8).write(to: verdict)
    #expect(try run("touch-id-app", ["make"], settings).status == 0)
    try expect("sign", "[ $1 != verify ]", 51, "the finger was not recognized: try again (-25293)")
    try expect("sign", "exit 3", 51, "\(empty) (-25293)")
    try expect("sign", "exit 2", 128, "The user canceled. (-128)")
    settings["LATCHKEY_PASSCODE_FILE"] = nil
    let locked = "the keychain was not unlocked: name a file with the passcode in LATCHKEY_PASSCODE_FILE (-25308)"
    try expect("sign", "exit 0", 36, locked)
    settings["LATCHKEY_PASSCODE_FILE"] = folder.url.appendingPathComponent("wrong").path
    try Data("another passcode\n".utf8).write(to: folder.url.appendingPathComponent("wrong"))
    #expect(chmod(folder.url.appendingPathComponent("wrong").path, 0o600) == 0)
    let wrong = "write the right one into the file that LATCHKEY_PASSCODE_FILE names (-25293)"
    let result = try run("touch-id-app", ["sign"], input: "a challenge", settings)
    #expect(result.status == 51)
    let reported = Self.reported(result, by: "touch-id-app")
    #expect(
      reported.count == 1 && reported[0].hasPrefix("the passcode is wrong; ") && reported[0].hasSuffix(": \(wrong)"),
      "\(reported)")
  }

  @Test("without a server the transfer app says at once which command starts one")
  func noServer() throws {
    try Data(Self.certificate.utf8).write(to: folder.url.appendingPathComponent("ca.pem"))
    let result = try run("sealed-transfer", ["https://localhost:1", "ca.pem", "demo"], input: "a password\n4711\n")
    #expect(result.status == 69)
    #expect(result.errors.contains("there is no server at https://localhost:1 (no connection)"), "\(result.errors)")
    #expect(result.errors.contains("start one by `latchkey serve --documented "))
  }

  @Test("A server of another authority, one without the old service, and a wrong password have different errors")
  func otherServers() async throws {
    let stage = try await EnrollmentStage(hasPasscode: false)
    let ca = folder.url.appendingPathComponent("ca.pem")
    try Data(Self.certificate.utf8).write(to: ca)
    let untrusted = try run("sealed-transfer", [stage.url, ca.path, "demo"], input: "a password\n4711\n")
    #expect(untrusted.status == 69)
    #expect(untrusted.errors.contains("ca.pem does not vouch for the server at \(stage.url)"), "\(untrusted.errors)")
    let another = try run("sealed-transfer", [stage.url, stage.ca, "demo"], input: "a password\n4711\n")
    #expect(another.status == 69)
    #expect(another.errors.contains("does not have the old service: start it by `latchkey serve"), "\(another.errors)")
    #expect(try await stage.stop() == 0)
    let keys = ["aes": String(repeating: "a", count: 32), "mac": String(repeating: "m", count: 32)]
    let old = try await EnrollmentStage(
      serving: ["--documented", "--encryption-key", "@aes", "--mac-key", "@mac"], files: keys, hasPasscode: false)
    let wrong = try run("sealed-transfer", [old.url, old.ca, "demo"], input: "a password\n4711\n")
    #expect(wrong.status == 77)
    #expect(wrong.errors.contains("the user's name or the password is wrong (Not Authenticated)"), "\(wrong.errors)")
    #expect(try await old.stop() == 0)
  }

  @Test(
    "A transfer whose answer is lost is reported as possibly booked, with 75; an unsent one as not booked")
  func lostAnswer() async throws {
    let stage = try await EnrollmentStage(
      serving: ["--documented", "--encryption-key", "@aes", "--mac-key", "@mac"],
      files: ["aes": "0123456789abcdef0123456789abcdef", "mac": "fedcba9876543210fedcba9876543210", "pin": "4711"],
      hasPasscode: false)
    let (aes, mac) = ("--encryption-key @aes", "--mac-key @mac")
    try stage.play(
      "enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --documented --pin @pin \(aes) \(mac)"
    )
    let server = try #require(URL(string: stage.url)?.port)
    let connections = try HeldConnections(before: server)
    let app = try RunningCommand(
      ["https://localhost:\(connections.port)", stage.ca, "demo"], of: "sealed-transfer", state: folder.url,
      environment: ["LATCHKEY_KEYCHAIN": folder.keychain.path])
    try app.type(try String(contentsOfFile: stage.password, encoding: .utf8).trimmingCharacters(in: .newlines))
    try app.type("4711")
    #expect(await app.wait(for: "654654123123  5000.00"))
    let form = ["123123456456", "654654123123", "23.23", "", "a remark"]

    connections.hold()
    for line in form { try app.type(line) }
    var isBooked = false
    while !isBooked {
      stage.lines = []
      try stage.play("accounts --documented")
      isBooked = stage.lines.contains("123123456456  976.77  Checking")
    }
    connections.end()
    #expect(await app.wait(for: "the transfer "))
    let reported = try #require(app.lines.last)
    #expect(
      reported.hasPrefix("the transfer may have been booked: the connection to https://localhost:"), "\(reported)"
    )
    #expect(reported.hasSuffix("Look at the accounts before you send it again"), "\(reported)")

    for line in form { try app.type(line) }
    #expect(await app.wait(for: "the transfer "))
    let refused = try #require(app.lines.last)
    #expect(refused.hasPrefix("the transfer was not booked: there is no server at https://localhost:"), "\(refused)")
    #expect(try await app.end() == 75)
    stage.lines = []
    try stage.play("accounts --documented")
    #expect(stage.lines.contains("123123456456  976.77  Checking"))
    #expect(try await stage.stop() == 0)
  }

  @Test("A form error names its field, not the keys; an address keeps its brackets")
  func fields() async throws {
    let stage = try await EnrollmentStage(
      serving: ["--documented", "--encryption-key", "@aes", "--mac-key", "@mac"],
      files: ["aes": "0123456789abcdef0123456789abcdef", "mac": "fedcba9876543210fedcba9876543210"],
      hasPasscode: false)
    let password = try String(contentsOfFile: stage.password, encoding: .utf8)
    let result = try run(
      "sealed-transfer", [stage.url, stage.ca, "demo"],
      input: password + "4711\n123123456456\n0123123456456\n1.00\n\na remark\n"
        + "123123456456\n654654123123\n1.00\n99999-01-01\n")
    #expect(result.status == 65)
    #expect(
      result.output.contains(
        "the transfer was not booked: to: 0123123456456 has not as many digits as 123123456456, and a server"),
      "\(result.output)")
    #expect(result.output.contains("the date is a day of the calendar"), "\(result.output)")
    #expect(!result.output.contains("the keys, or the date"))
    let address = try run("sealed-transfer", ["https://[::1]:1", stage.ca, "demo"], input: "a password\n4711\n")
    #expect(address.status == 69)
    #expect(
      address.errors.contains("https://[::1]:1 (") && !address.errors.contains("Invalid URL"), "\(address.errors)")
    #expect(try await stage.stop() == 0)
  }

  /// Of an authority whose key no longer exists.
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBeTCCAR+gAwIBAgIUNizhVo4O/uVW3ZDhY7DqatsuERswCgYIKoZIzj0EAwIw
    ETEPMA0GA1UEAwwGTm9ib2R5MCAXDTI2MTEyMzA2MDg0OFoYDzIxMjYxMDMwMDYw
    ODQ4WjARMQ8wDQYDVQQDDAZOb2JvZHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
    AARvV38pvvHstCpvmXE04521iU4nTJR2A/5iw3gK0gp0VXnEPDLKgFjoB8uVudh9
    iqFlY6spSeRlx0NCGg8UG6lwo1MwUTAdBgNVHQ4EFgQU3BmpVT/vCyUH0zyz8WUj
    XEzXL1MwHwYDVR0jBBgwFoAU3BmpVT/vCyUH0zyz8WUjXEzXL1MwDwYDVR0TAQH/
    BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEArbILY5RUecP3hJ6ydqds+wk1YsNX
    zUDw9LA5fOYlK0UCIDUZY1okCW2XDKdQtyiS4S6yh60eXBwzDOA4zf1QNIdf
    -----END CERTIFICATE-----
    """
}
