import Foundation
import LatchkeyTestSupport
import Testing

/// The commands about a device's approval key, against a server that runs beside, as a user would type them.
@Suite struct ApprovalKeyCommandTests {
  @Test(
    "A key without a user guard approves nothing, and nothing is enrolled or sent for it; a refusal leaves no key",
    .soak(derivations: 30))
  func approvalKeysAreGuarded() async throws {
    let stage = try await EnrollmentStage(serving: ["--devices-per-user", "1"])
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
    let stage = try await EnrollmentStage()
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
    let stage = try await EnrollmentStage()
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
}
