import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

@testable import LatchkeyDBus
@testable import LatchkeyNetworkJoining

@Suite("The agent of iwd, and iwd's errors")
struct IwdAgentTests {
  private static let path = "/net/connman/iwd/0/3/486f6d65_psk"

  private func agent(_ passphrase: String = "secret123") -> IwdAgent {
    IwdAgent(network: Self.path, passphrase: SecretBytes(Array(passphrase.utf8)))
  }

  @Test("The agent answers a request for its network")
  func answer() throws {
    let agent = agent()
    #expect(!agent.hasAnswered)
    let answer = try agent.answer(BusCall(member: "RequestPassphrase", arguments: [.path(Self.path)]))
    guard answer.count == 1, case .secret(let secret) = answer[0] else {
      Issue.record("no secret")
      return
    }
    #expect(secret.array() == Array("secret123".utf8))
    #expect(agent.hasAnswered)
    #expect(try agent.answer(BusCall(member: "Cancel", arguments: [.string("user-canceled")])).isEmpty)
    #expect(try agent.answer(BusCall(member: "Release", arguments: [])).isEmpty)
  }

  @Test(
    "Other networks, other types and other questions get no passphrase",
    arguments: [
      ("RequestPassphrase", [.path("/net/connman/iwd/0/3/4f6c64_psk")]), ("RequestPassphrase", []),
      ("RequestPassphrase", [.string(path)]), ("RequestPassphrase", [.path(path), .path(path)]),
      ("RequestPassphrase", [.variant(.path(path))]), ("RequestPrivateKeyPassphrase", [.path(path)]),
      ("RequestUserNameAndPassword", [.path(path)]), ("RequestUserPassword", [.path(path), .string("user")]),
      ("Introspect", []), ("", []),
    ] as [(String, [BusValue])])
  func refused(_ member: String, _ arguments: [BusValue]) {
    let agent = agent()
    #expect(throws: BusRefusal.self) { try agent.answer(BusCall(member: member, arguments: arguments)) }
    #expect(!agent.hasAnswered)
  }

  @Test("An agent without a passphrase refuses, and one that is asked too often stops")
  func limits() throws {
    let request = BusCall(member: "RequestPassphrase", arguments: [.path(Self.path)])
    #expect(throws: BusRefusal.self) { try self.agent("").answer(request) }
    let agent = agent()
    for _ in 0..<4 { _ = try agent.answer(request) }
    #expect(throws: BusRefusal.self) { try agent.answer(request) }
  }

  @Test("No text of an agent, its calls or its answers has the passphrase")
  func unprinted() throws {
    let agent = agent()
    let answer = try agent.answer(BusCall(member: "RequestPassphrase", arguments: [.path(Self.path)]))
    var dumped = ""
    dump(answer, to: &dumped)
    dump(agent, to: &dumped)
    #expect(!"\(answer) \(String(reflecting: answer)) \(agent) \(dumped)".contains("secret123"))
  }

  @Test("A failure is a wrong passphrase only if one was given and the network is in reach")
  func failures() {
    let failed = BusFault.refused(name: "net.connman.iwd.Failed", text: "Operation failed")
    #expect(IwdOutcome.failure(failed, gavePassphrase: true, isInReach: true) == .wrongPassphrase)
    #expect(IwdOutcome.failure(failed, gavePassphrase: false, isInReach: true) == .other)
    #expect(IwdOutcome.failure(failed, gavePassphrase: true, isInReach: false) == .networkNotFound)
    #expect(IwdOutcome.failure(.cancelled, gavePassphrase: true, isInReach: true) == .other)
    #expect(IwdOutcome.failure(.noBus(""), gavePassphrase: true, isInReach: true) == .radioUnavailable)
  }

  @Test("The path of a network that was never seen is that of its name's bytes")
  func paths() {
    #expect(IwdObjects.path(of: Array("Home".utf8), station: "/net/connman/iwd/0/3") == Self.path)
    #expect(IwdObjects.path(of: [0x0A, 0xC3, 0xA4], station: "/s") == "/s/0ac3a4_psk")
  }
}
