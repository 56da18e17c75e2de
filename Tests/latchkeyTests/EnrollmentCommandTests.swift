import LatchkeyTestSupport
import Foundation
import Testing

/// The commands of enrollment against a server that runs beside, as a user would type them.
@Suite struct EnrollmentCommandTests {
  @Test("A machine enrolls and transfers") func aMachineEnrollsAndTransfers() async throws {
    let stage = try await EnrollmentStage()
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
    let (tomorrow, past) = (EnrollmentStage.day(1), EnrollmentStage.day(-2))
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
    let stage = try await EnrollmentStage(hasPasscode: false)
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
    let stage = try await EnrollmentStage(hasPasscode: false)
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

  @Test("A value that a device has from its registration is not ignored when it is given again")
  func fixedOnceEnrolled() async throws {
    let stage = try await EnrollmentStage(hasPasscode: false)
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
    let stage = try await EnrollmentStage(hasPasscode: false)
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
    let stage = try await EnrollmentStage()
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
    let stage = try await EnrollmentStage(hasPasscode: false)
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
}
