import Foundation
import LatchkeyTestSupport
import Testing

/// `latchkey approve-device`, for a device that enrolls by EST with OpenSSL and curl.
@Suite struct ApproveDeviceCommandTests {
  /// Sends a signing request with this alternative name.
  private func enroll(_ stage: EnrollmentStage, _ name: String, _ title: String, token: String) async throws -> String {
    func file(_ suffix: String) -> String { stage.folder.appendingPathComponent("\(title).\(suffix)").path }
    if !FileManager.default.fileExists(atPath: file("csr")) {
      let made = try await ForeignProgram.run(
        "/usr/bin/openssl",
        [
          "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(title)",
          "-addext", "subjectAltName=\(name)", "-keyout", file("key"), "-outform", "DER", "-out", file("csr"),
        ])
      #expect(try #require(made).status == 0)
    }
    let body = try Data(contentsOf: URL(fileURLWithPath: file("csr"))).base64EncodedString()
    let sent = try await ForeignProgram.run(
      "/usr/bin/curl",
      [
        "-sS", "--max-time", "60", "--cacert", stage.ca, "-u", "demo:\(token)", "-H",
        "content-type: application/pkcs10", "-d", body, "-o", file("answer"), "-w", "%{http_code}",
        "\(stage.url)/.well-known/est/gateway/simpleenroll",
      ])
    return try #require(sent).output
  }

  private func token(_ stage: EnrollmentStage, _ name: String) throws -> String {
    let path = stage.folder.appendingPathComponent(name).path
    try stage.play("serve token create --user demo --profile gateway --output \(path) --state \(stage.state) --json")
    return try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
  }

  @Test(
    "Who approves a device, by another one or as the operator, sees the names for which it asks", .needs("openssl"),
    .needs("curl"))
  func names() async throws {
    let stage = try await EnrollmentStage(hasPasscode: false)
    try stage.play("enroll \(stage.url) --user demo --password @\(stage.password) --ca \(stage.ca) --json")
    try stage.play(
      "serve profile add gateway --approval device --allow-name dns:*.devices.example --state \(stage.state) --json")
    let (first, second) = (try token(stage, "first"), try token(stage, "second"))
    #expect(try await enroll(stage, "DNS:b.devices.example,DNS:a.devices.example", "gateway", token: first) == "202")
    #expect(try await enroll(stage, "DNS:c.devices.example", "other", token: second) == "202")
    stage.lines = []
    let asked = "asks for dns:a.devices.example dns:b.devices.example"
    try stage.play("approve-device")
    let line = try #require(stage.lines.first { $0.contains("gateway") })
    #expect(line.hasSuffix(asked))
    let device = String(line.prefix(32))
    let other = String(try #require(stage.lines.first { $0.contains("dns:c.devices.example") }).prefix(32))
    try stage.play("approve-device --json")
    let list = #""requestedNames":["dns:a.devices.example","dns:b.devices.example"]"#
    #expect(stage.lines.contains { $0.contains(#""event":"pending""#) && $0.contains(device) && $0.contains(list) })
    try stage.play("serve device pending --state \(stage.state)")
    #expect(stage.lines.contains { $0.hasPrefix(device) && $0.hasSuffix(asked) })
    stage.lines = []
    try stage.play("approve-device \(device)")
    #expect(stage.lines.last == "Approved \(device)  \(asked)")
    try stage.play("serve device approve \(other) --state \(stage.state)")
    #expect(stage.lines.last == "Approved \(other), which asks for dns:c.devices.example")
    #expect(try await enroll(stage, "", "gateway", token: first) == "200")
    #expect(try await enroll(stage, "", "other", token: second) == "200")
    #expect(try await stage.stop() == 0)
  }
}
