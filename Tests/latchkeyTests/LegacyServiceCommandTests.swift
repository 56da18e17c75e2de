import Foundation
import LatchkeyTestSupport
import Testing

/// `latchkey enroll --documented` against servers with and without the legacy service.
@Suite struct LegacyServiceCommandTests {
  @Test("A device enrolls at the legacy service, and alerts have a title")
  func anOldServiceIsEnrolledAtAndAlertsHaveATitle() async throws {
    let (aes, mac) = (String(repeating: "a", count: 32), String(repeating: "m", count: 32))
    let stage = try await EnrollmentStage(
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

  @Test("A server without the old protocol is reported as such, with the next step")
  func noOldService() async throws {
    let stage = try await EnrollmentStage(hasPasscode: false)
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
}
