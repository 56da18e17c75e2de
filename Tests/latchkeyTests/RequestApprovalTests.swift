import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyTestSupport
import Testing

@testable import latchkey

/// `latchkey request --approve` against the sample bank, which wants transfers from 1000.00 on approved.
@Suite struct RequestApprovalTests {
  private static let transfer =
    #"{"from":"654654123123","to":"123123456456","amount":"1000.00","currency":"EUR","notes":""}"#
  /// What the bank asks an approval of: the page AccountsAndTransfers.
  private static let text = "latchkey-transfer-v1\n12:65465412312312:1231234564567:1000.003:EUR0:"

  private func prepare(_ stage: EnrollmentStage) throws -> String {
    try stage.write([
      "transfer.json": Self.transfer, "text": Self.text, "text-and-newline": Self.text + "\n",
      "asking": "#!/bin/sh\nprintf '%s\\n' \"$1\" >> asked\necho a long passcode\n",
      "wrong": "#!/bin/sh\necho another passcode\n", "declining": "#!/bin/sh\nexit 1\n",
    ])
    for program in ["asking", "wrong", "declining"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o700], ofItemAtPath: stage.folder.appendingPathComponent(program).path)
    }
    try stage.play("enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca)")
    return "request POST \(stage.url)/v1/transfers -d @transfer.json -H Content-Type:application/json"
  }

  private func content(_ name: String, _ stage: EnrollmentStage) throws -> String {
    try String(contentsOf: stage.folder.appendingPathComponent(name), encoding: .utf8)
  }

  @Test("What a service asks an approval of is approved by its text, once the user is asked, and done once")
  func approved() async throws {
    let stage = try await EnrollmentStage()
    let request = "\(try prepare(stage)) --idempotency-key transfer-of-november"
    let approve = "\(request) --approve @text --approve-for ledger"

    // Without the option the answer is as any other, and the next step is on standard error.
    let hint = "the service asks for an approval: run the command again with --approve"
    let unstated = try stage.play(request, asking: nil)
    #expect(unstated.contains("latchkey: \(hint)"), "\(unstated)")
    #expect(stage.lines.last?.contains(#""code":"approval_required""#) == true)
    #expect(try stage.play("\(request) -f", 22, asking: nil).contains("status 403: \(hint)"))
    #expect(try stage.play("\(request) -f -s", 22, asking: nil).isEmpty)
    #expect(try stage.play("\(request) -s", asking: nil).isEmpty)

    // To the byte.
    let newline = try stage.play("\(request) --approve @text-and-newline --approve-for ledger -v", 77)
    #expect(newline.components(separatedBy: "< HTTP/2 403").count == 3, "\(newline)")
    #expect(newline.contains("did not accept the approval, and did nothing: is --approve the text"), "\(newline)")

    try FileManager.default.removeItem(at: stage.folder.appendingPathComponent("asked"))
    stage.lines = []
    let sent = try stage.play("\(approve) --json -o receipt -v")
    #expect(sent.split(separator: "\n").count { $0.hasPrefix("> POST /v1/transfers") } == 2, "\(sent)")
    #expect(sent.contains("< HTTP/2 403") && sent.contains("< HTTP/2 201"), "\(sent)")
    #expect(sent.contains("latchkey-approval: (left out)"), "\(sent)")
    #expect(stage.lines.contains { $0.contains(#""status":201"#) && $0.contains(#""isApproved":true"#) })
    #expect(try content("receipt", stage).contains(#""amount":"1000.00""#))
    let question = try content("asked", stage)
    #expect(
      question.components(separatedBy: "approve for the service ledger: \"latchkey-transfer-v1\\u{a}12:654654").count
        == 2, "\(question)")

    // An approval does not say that the service does it.
    try stage.write([
      "large.json": Self.transfer.replacing("1000.00", with: "900000.00"),
      "large": Self.text.replacing("7:1000.00", with: "9:900000.00"),
    ])
    let large = request.replacing("@transfer.json", with: "@large.json").replacing("november", with: "march")
    try stage.play("\(large) --approve @large --approve-for ledger --json -o refusal")
    #expect(stage.lines.contains { $0.contains(#""status":422"#) && $0.contains(#""isApproved":false"#) })

    // Its repetition asks nobody: it was answered.
    try stage.play("\(approve) --json -o again", asking: nil)
    #expect(stage.lines.contains { $0.contains(#""status":201"#) && $0.contains(#""isApproved":false"#) })
    #expect(try content("again", stage) == content("receipt", stage))
    stage.lines = []
    try stage.play("accounts")
    #expect(stage.lines.contains { $0.hasPrefix("654654123123  4000.00 EUR") }, "\(stage.lines)")
    #expect(try await stage.stop() == 0)
  }

  @Test("Where nobody can be asked, or the user declines or answers wrongly, nothing is approved, and nothing is done")
  func declined() async throws {
    let stage = try await EnrollmentStage()
    let approve = "\(try prepare(stage)) --idempotency-key transfer-of-november --approve @text --approve-for ledger"
    let nobody = try stage.play("\(approve) --json -o receipt", 36, asking: nil)
    #expect(nobody.contains("nothing was approved: there is no terminal to ask at"), "\(nobody)")
    #expect(stage.lines.last?.hasPrefix(#"{"event":"error","code":"locked","message":"nothing was approved: "#) == true)
    #expect(!FileManager.default.fileExists(atPath: stage.folder.appendingPathComponent("receipt").path))
    for program in ["declining", "wrong"] {
      let reported = try stage.play(approve, 51, asking: program)
      #expect(reported.contains("nothing was approved: "), "\(program): \(reported)")
    }
    stage.lines = []
    try stage.play("accounts")
    #expect(stage.lines.contains { $0.hasPrefix("654654123123  5000.00 EUR") }, "\(stage.lines)")

    // The content, from standard input, goes twice, and the text is on the command line.
    let words =
      approve.split(separator: " ").map { $0 == "@transfer.json" ? "@-" : $0 == "@text" ? Self.text : String($0) }
    let result = try BuiltCommand.run(
      words, input: Array(Self.transfer.utf8), folder: stage.folder, environment: stage.environment)
    #expect(result.status == 0 && result.output.contains(#""amount":"1000.00""#), "\(result.errors)")
    #expect(try await stage.stop() == 0)
  }

  @Test("A device without an approval key is told how to get one; a request that needs no approval is sent as ever")
  func noApprovalKey() async throws {
    let stage = try await EnrollmentStage(hasPasscode: false)
    let request = try prepare(stage)
    let approve = "--approve @text --approve-for ledger"
    let refused = try stage.play("\(request) --idempotency-key transfer-of-november \(approve)", 77)
    #expect(
      refused.contains("This device has no approval key: `latchkey device register-key KEY` registers one"),
      "\(refused)")
    try stage.write(["transfer.json": Self.transfer.replacing("1000.00", with: "1.00")])
    try stage.play("\(request) --idempotency-key transfer-of-december \(approve) --json -o receipt -f")
    #expect(stage.lines.contains { $0.contains(#""status":201"#) && $0.contains(#""isApproved":false"#) })
    // A text that is none stops the command before anything is sent.
    try Data([0x61, 0xFF]).write(to: stage.folder.appendingPathComponent("text"))
    let bytes = try stage.play("\(request) --idempotency-key transfer-of-january \(approve)", 65)
    #expect(bytes.contains("--approve is a text: UTF-8, 1 to 65536 bytes"), "\(bytes)")
    try stage.write(["text": ""])
    try stage.play("\(request) --idempotency-key transfer-of-january \(approve)", 65)
    try stage.write(["text": String(repeating: "a", count: 65_537)])
    try stage.play("\(request) --idempotency-key transfer-of-january \(approve)", 65)
    let missing = try stage.play("\(request) --approve @nothing --approve-for ledger", 74)
    #expect(missing.contains("nothing cannot be read"), "\(missing)")
    stage.lines = []
    try stage.play("accounts")
    #expect(stage.lines.contains { $0.hasPrefix("654654123123  4999.00 EUR") }, "\(stage.lines)")
    #expect(try await stage.stop() == 0)
  }

  @Test("An approval that comes too late may do the next time, and another text may not") func outcomes() {
    let late = RequestApproval.failure(.late(lifetime: 60))
    #expect(late?.status == .tryLater && late?.code == "approvalLate")
    #expect(late?.message.contains("nothing was done: a challenge counts for 60 s. Run the same command again") == true)
    let other = RequestApproval.failure(.notAccepted)
    #expect(other?.status == .notPermitted && other?.code == "approvalRequired")
    #expect(RequestApproval.failure(.sent)?.code == nil && RequestApproval.failure(.notSent)?.code == nil)
  }

  @Test("A text is shown whole where the user is asked, or with its length and digest if a prompt has no room for it")
  func shown() {
    #expect(RequestApproval.shown("a\n\u{1b}[2Jb\"") == #""a\u{a}\u{1b}[2Jb\"""#)
    let room = String(repeating: "a", count: 398)
    #expect(RequestApproval.shown(room) == "\"\(room)\"")
    for text in [room + "a", room + "b", String(repeating: "\n", count: 65_536)] {
      let shown = RequestApproval.shown(text)
      #expect(shown.contains(" bytes, SHA-256 ") && shown.contains("(\(text.utf8.count) bytes"))
      // A prompt has 512 characters, and the name of the service before it.
      #expect(shown.unicodeScalars.count < 440)
    }
    #expect(RequestApproval.shown(room + "a") != RequestApproval.shown(room + "b"))
  }
}
