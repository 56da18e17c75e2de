import Foundation
import LatchkeyByteCoding
import Synchronization
import Testing

@testable import LatchkeyProvisioningProtocol

/// The page's worked transcript, recomputed. Its bytes were made by a program of another language.
@Suite struct SecureTranscriptTests {
  /// Randomness that was drawn before.
  private static func drawing(
    _ drawn: [String], encapsulated: (ciphertext: [UInt8], secret: [UInt8])? = nil
  ) -> SecureRandomness {
    let rest = Drawn(drawn.map { hex($0) })
    return SecureRandomness(
      bytes: { rest.next($0) },
      encapsulate: { _ in encapsulated.map { ($0.ciphertext, SecretBytes($0.secret)) } })
  }

  private final class Drawn: Sendable {
    private let values: Mutex<[[UInt8]]>

    init(_ values: [[UInt8]]) { self.values = Mutex(values) }

    func next(_ count: Int) -> [UInt8] {
      values.withLock { values in
        guard let first = values.first, first.count == count else { return [UInt8](repeating: 0, count: count) }
        return values.removeFirst()
      }
    }
  }

  private static let deviceIdentifier = [UInt8](0xD0...0xDF)

  private func rig(device: SecureRandomness, suites: [SecureSuite]) throws -> SecureRig {
    let configuration = try SecureRig.configuration()
    var rig = try SecureRig(configuration)
    rig.device = try SecureDeviceMachine(
      configuration, storedState: SecureTickets(deviceIdentifier: Self.deviceIdentifier).bytes, randomness: device)
    return rig
  }

  /// The messages that were sent, joined from their values.
  private func messages(_ rig: SecureRig) throws -> [[UInt8]] {
    var (app, device) = (SecureReassembler(limit: 4096), SecureReassembler(limit: 4096))
    return try rig.values.compactMap { value in
      try value.isFromApp ? app.add(value.bytes, now: .zero) : device.add(value.bytes, now: .zero)
    }
  }

  private func check(_ transcript: [String: String], _ suite: SecureSuite) throws -> SecureRig {
    func field(_ name: String) -> [UInt8] { hex(transcript[name] ?? "") }
    let isHybrid = suite == .hybrid
    let device = Self.drawing(
      [transcript["yb"] ?? "", SecureTranscript.all.resumption["er"] ?? ""],
      encapsulated: isHybrid ? (field("ct"), field("ss")) : nil)
    let app = Self.drawing(
      [transcript["sid"] ?? "", transcript["ya"] ?? ""] + (isHybrid ? [transcript["seed"] ?? ""] : []))
    var rig = try rig(device: device, suites: [suite])
    #expect(rig.device.information.bytes == field("INFO"))
    let code = try SecureCode(pin: SecureRig.pin)
    #expect(code.password.array() == field("PRS"))
    #expect(SecureKeySchedule.channel(information: field("INFO"), suite: suite) == field("CI"))
    try rig.connect(1, SecureAppMachine(.init(code: code, suites: [suite]), randomness: app))
    #expect(rig.assurance() == suite.assurance)
    #expect(rig.request(.status).count == 1)
    let messages = try messages(rig)
    try #require(messages.count == 4)
    #expect(messages[0] == field("hello"))
    #expect(messages[1] == field("reply"))
    #expect(messages[2] == field("finish"))
    #expect(messages[3] == field("record"))
    return rig
  }

  @Test("The session of suite 02 has the page's bytes, and so has its resumption") func classical() throws {
    var rig = try check(SecureTranscript.all.classical, .classical)
    let transcript = SecureTranscript.all.resumption
    func field(_ name: String) -> [UInt8] { hex(transcript[name] ?? "") }
    let kept = try #require(rig.app()?.resumption)
    #expect(kept.tickets.map(\.name) == [field("ticket")])
    #expect(kept.tickets.map { $0.key.array() } == [field("psk")])
    rig.disconnect()
    let before = rig.values.count
    let app = Self.drawing([transcript["ei"] ?? ""])
    try rig.connect(1, SecureAppMachine(.init(code: nil, resumption: kept), randomness: app))
    _ = rig.request(.status)
    rig.values.removeFirst(before)
    let messages = try messages(rig)
    #expect(messages == ["resume", "resumed", "appRecord", "deviceRecord"].map { field($0) })
    let next = try #require(rig.app()?.resumption?.tickets.first)
    #expect(next.name + next.key.array() == field("next"))
  }

  @Test("The session of suite 01 has the page's bytes") func hybrid() throws {
    _ = try check(SecureTranscript.all.hybrid, .hybrid)
  }

  @Test("The page shows the bytes of the fixture") func page() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "Sources/LatchkeyProvisioning/LatchkeyProvisioning.docc/SecureProtocol.md"),
      encoding: .utf8)
    let start = try #require(page.range(of: "## A worked transcript"))
    let end = try #require(page.range(of: "## Differences from the draft"))
    let bytes = page[start.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
    let transcript = SecureTranscript.all
    let shown: [[String?]] = [
      ["INFO", "sid", "ya", "yb", "PRS", "CI", "g", "Ya", "Yb", "K", "ISK", "TH", "PRK", "a2d", "d2a", "resume"]
        .map { transcript.classical[$0] },
      ["Td", "Ta", "hello", "reply", "request", "finish", "response", "record"].map { transcript.classical[$0] },
      ["seed", "ss", "Ya", "Yb", "ISK", "TH", "PRK", "Td", "Ta", "finish", "record"].map { transcript.hybrid[$0] },
      ["ticket", "psk", "resume", "resumed", "h", "k1", "k2", "next", "appRecord", "deviceRecord"]
        .map { transcript.resumption[$0] },
    ]
    for text in shown.joined() { #expect(bytes.contains(try #require(text))) }
  }
}
