import LatchkeyByteCoding
import Testing

@testable import LatchkeyProvisioningProtocol

/// Our machines against the implementation in Python, which was written from the protocol's page alone.
@Suite(
  "The secure protocol with an implementation of others",
  .enabled(if: SecurePeerProcess.python != nil, "Tests/Interop/secure_machines sets LATCHKEY_SECURE_PEER_PYTHON"))
struct SecurePeerTests {
  /// Our app and the peer's device.
  private struct AppPair {
    let peer: SecurePeerProcess
    var app: SecureAppMachine
    var events: [AppEvent] = []
    let information: [UInt8]
    let context: AppContext

    init(_ suites: [SecureSuite], limit: Int, code: String = SecureRig.pin, arguments: [String] = []) throws {
      let numbers = suites.map { "\($0.rawValue)" }.joined(separator: ",")
      peer = try SecurePeerProcess(
        ["device", "--digits", SecureRig.pin, "--suites", numbers, "--limit", "\(limit)"] + arguments)
      information = try #require(try SecurePeerProcess.bytes("info", in: peer.answer()).first)
      app = SecureAppMachine(
        SecureAppMachine.Knowledge(code: try SecureCode(pin: code), resumption: nil, suites: SecureSuite.allCases),
        randomness: .test)
      context = AppContext(now: .zero, writeLimit: limit)
      app.begin(SecureService.definition, context: context)
      try run()
    }

    mutating func request(_ request: AppRequest) throws -> [AppEvent] {
      let before = events.count
      app.perform(request, context: context)
      try run()
      return Array(events.dropFirst(before))
    }

    private mutating func run() throws {
      while true {
        let actions = app.dequeueActions()
        if actions.isEmpty { return }
        for action in actions {
          switch action {
          case .subscribe(let uuid): app.handle(.subscribed(uuid), context: context)
          case .read(let uuid): app.handle(.read(uuid, information), context: context)
          case .write(let uuid, let bytes, let withResponse):
            let lines = try peer.answer(to: "w \(Hexadecimal.encode(bytes))")
            if withResponse { app.handle(.wrote(uuid), context: context) }
            for value in try SecurePeerProcess.bytes("n", in: lines) {
              app.handle(.notified(SecureService.receive, value), context: context)
            }
          case .report(let event): events.append(event)
          }
        }
      }
    }

    var assurance: ProvisioningAssurance? {
      for case .opened(let assurance, _) in events { return assurance }
      return nil
    }
  }

  @Test("Our app opens the peer's device by both suites, in short and long values", arguments: [20, 182, 512])
  func appOpens(limit: Int) throws {
    #expect(try AppPair([.hybrid, .classical], limit: limit).assurance == .codeAndPostQuantum)
    #expect(try AppPair([.classical], limit: limit).assurance == .code)
  }

  @Test("Our app lists the networks of the peer's device page by page, and joins one after a wrong password")
  func appProvisions() throws {
    var pair = try AppPair([.classical], limit: 182, arguments: ["--max-msg", "256"])
    guard case .networks(let networks)? = try pair.request(.scan).last else {
      Issue.record("no networks")
      return
    }
    #expect(networks.contains { $0.name == "network 0" && $0.rssi == -40 && $0.security == .wpa2 })
    #expect(networks.contains { $0.ssid == [0xFF, 0xFE] && $0.security == .wpa3 })
    let wrong = try NetworkCredentials(ssid: Array("Home".utf8), passphrase: Array("wrong password".utf8))
    guard case .network(.failed(.wrongPassphrase))? = try pair.request(.join(wrong)).last else {
      Issue.record("the wrong password was not refused: \(pair.events)")
      return
    }
    let right = try NetworkCredentials(ssid: Array("Home".utf8), passphrase: Array("right password".utf8))
    guard case .network(.connected(let joined))? = try pair.request(.join(right)).last else {
      Issue.record("the device did not join: \(pair.events)")
      return
    }
    #expect(joined.ssid == Array("Home".utf8) && joined.address == "192.0.2.7" && joined.reach == .internet)
    guard case .information(let information)? = try pair.request(.information).last else {
      Issue.record("no information")
      return
    }
    #expect(information.firmware == "secure_peer")
    guard case .response([1, 2, 3])? = try pair.request(.custom(endpoint: "echo", body: [1, 2, 3])).last else {
      Issue.record("no answer of an endpoint")
      return
    }
    guard case .hostname("lamp")? = try pair.request(.hostname("lamp")).last else {
      Issue.record("no host name")
      return
    }
  }

  @Test("Our app refuses the peer's device with another code") func appRefuses() throws {
    let pair = try AppPair([.classical], limit: 182, code: "27182818")
    guard case .failed(.wrongCode)? = pair.events.last else {
      Issue.record("not refused: \(pair.events)")
      return
    }
  }

  /// Our device and the peer's app.
  private struct DevicePair {
    let peer: SecurePeerProcess
    var device: SecureDeviceMachine
    var context = DeviceContext(now: .zero)
    let link = ProvisioningLink(id: 1)
    var lines: [String] = []

    init(_ suites: [SecureSuite], limit: Int, code: String = SecureRig.pin, arguments: [String] = []) throws {
      peer = try SecurePeerProcess(["app", "--digits", code, "--limit", "\(limit)"] + arguments)
      device = try SecureDeviceMachine(
        SecureRig.configuration(suites), storedState: nil, randomness: .test)
      context.notificationLimits[link] = limit
      let information = try device.read(SecureService.information, from: link, context: &context)
      device.subscribed(true, to: SecureService.receive, from: link, context: &context)
      try say("request status")
      try say("info \(Hexadecimal.encode(information))")
    }

    /// Gives the app a line, and carries values until neither side has any.
    mutating func say(_ line: String) throws {
      var waiting = [line]
      while !waiting.isEmpty {
        let answer = try peer.answer(to: waiting.removeFirst())
        lines += answer.filter { $0.hasPrefix("event ") }
        for value in try SecurePeerProcess.bytes("w", in: answer) {
          device.write(value, to: SecureService.transmit, from: link, context: &context)
          waiting += performed()
        }
        waiting += performed()
      }
    }

    private mutating func performed() -> [String] {
      var values: [String] = []
      while true {
        let actions = device.dequeueActions()
        if actions.isEmpty { return values }
        for action in actions {
          switch action {
          case .notify(_, _, let bytes): values.append("n \(Hexadecimal.encode(bytes))")
          case .perform(let number, .scan): device.completed(number, .networks(SecureRig.networks), context: &context)
          case .perform(let number, .join(let credentials)):
            device.completed(number, .done, context: &context)
            context.network = .connected(JoinedNetwork(ssid: credentials.ssid, address: "192.0.2.8"))
            device.changed(context: &context)
          case .perform(let number, .custom(_, let body)): device.completed(number, .response(body), context: &context)
          case .perform(let number, _): device.completed(number, .done, context: &context)
          default: break
          }
        }
      }
    }

    func said(_ text: String) -> Bool { lines.contains { $0.contains(text) } }
  }

  @Test("The peer's app opens our device by both suites, in short and long values", arguments: [20, 182, 512])
  func deviceOpens(limit: Int) throws {
    #expect(try DevicePair([.hybrid, .classical], limit: limit).said(#""opened", "suite": 1"#))
    let pair = try DevicePair([.classical], limit: limit)
    #expect(pair.said(#""opened", "suite": 2"#))
    #expect(pair.said(#""name": "status", "status": 0, "state": 0"#))
  }

  @Test("The peer's app lists our device's networks, joins one, and uses its other requests") func deviceIsProvisioned()
    throws
  {
    var pair = try DevicePair([.classical], limit: 182)
    try pair.say("request scan 00")
    #expect(pair.said(#""ssid": "486f6d65""#) && pair.said(#""rssi": -127, "security": 77"#))
    // config of Home with a passphrase, applied at once.
    try pair.say("request config 010200" + "000000000000" + "04486f6d65" + "09736563726574313233")
    #expect(pair.said(#""address": "192.0.2.8""#))
    for request in ["info", "identify", "hostname", "hostname 6c616d70", "forget 01"] {
      try pair.say("request \(request)")
    }
    try pair.say("request echo 010203")
    #expect(pair.said(#""name": "echo", "status": 0, "body": "010203""#))
    #expect(!pair.said("failed"))
    try pair.say("request scan 0000")
    #expect(pair.said(#""name": "scan", "status": 2"#))
  }

  @Test("The peer's app refuses our device with another code, and our device counts the try") func deviceCounts() throws
  {
    let pair = try DevicePair([.classical], limit: 182, code: "27182818")
    #expect(pair.said(#""failed", "why": "Td""#))
    #expect(pair.context.attempts.record.failures == 1)
  }
}
