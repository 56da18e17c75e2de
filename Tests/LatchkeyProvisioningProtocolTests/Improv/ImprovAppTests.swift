import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

@Suite("An app of Improv")
struct ImprovAppTests {
  /// An app under test, and what it does as lines of text.
  private struct App {
    var machine = ImprovAppMachine()
    var now = Duration.zero

    /// A session that is open, with a device in this state.
    init(state: UInt8 = 2, capabilities: UInt8 = 0x0F) throws {
      try #require(opening(state, capabilities).last?.hasPrefix("opened") == true)
    }

    init(unopened: Void) {}

    mutating func opening(_ state: UInt8, _ capabilities: UInt8 = 0x0F) -> [String] {
      begin() + tell(.subscribed(ImprovService.state)) + tell(.subscribed(ImprovService.error))
        + tell(.subscribed(ImprovService.result)) + tell(.read(ImprovService.capabilities, [capabilities]))
        + tell(.read(ImprovService.state, [state]))
    }

    mutating func begin(_ service: ProvisioningService = ImprovService.service) -> [String] {
      machine.begin(service, context: AppContext(now: now))
      return lines()
    }

    mutating func tell(_ input: AppInput) -> [String] {
      machine.handle(input, context: AppContext(now: now))
      return lines()
    }

    mutating func state(_ value: UInt8) -> [String] { tell(.notified(ImprovService.state, [value])) }
    mutating func error(_ value: UInt8) -> [String] { tell(.notified(ImprovService.error, [value])) }
    mutating func result(_ value: [UInt8]) -> [String] { tell(.notified(ImprovService.result, value)) }

    mutating func ask(_ request: AppRequest) -> [String] {
      machine.perform(request, context: AppContext(now: now))
      return lines()
    }

    mutating func join() throws -> [String] {
      ask(
        .join(
          try NetworkCredentials(ssid: Array("MyWirelessAP".utf8), passphrase: Array("mysecurepassword".utf8))))
    }

    mutating func timeout() throws -> [String] {
      now = try #require(machine.nextDeadline)
      machine.handleTimeout(context: AppContext(now: now))
      return lines()
    }

    private mutating func lines() -> [String] {
      machine.dequeueActions().map { action in
        switch action {
        case .subscribe(let characteristic): "subscribe \(characteristic.suffix(4))"
        case .write(_, let value, let withResponse):
          (withResponse ? "write " : "command ") + Hexadecimal.encode(value)
        case .read(let characteristic): "read \(characteristic.suffix(4))"
        case .report(let event): Self.text(event)
        }
      }
    }

    private static func text(_ event: AppEvent) -> String {
      switch event {
      case .needsAuthorization: "needs authorization"
      case .opened(let assurance, let capabilities): "opened \(assurance) \(capabilities.rawValue)"
      case .networks(let networks): "networks \(networks.map { "\($0.name) \($0.rssi) \($0.security)" })"
      case .network(.connected(let network)):
        "connected \(String(decoding: network.ssid, as: UTF8.self)) \(network.page ?? "without a page")"
      case .network(let state): "network \(state)"
      case .information(let information): "information \(information.name) \(information.system ?? "-")"
      case .hostname(let name): "host \(name)"
      case .name(let name): "name \(name)"
      case .response: "response"
      case .done: "done"
      case .requestFailed(let failure): "refused \(failure)"
      case .failed(let failure): "failed \(failure)"
      }
    }
  }

  private static let write = "write \(ImprovBench.joinCommand)"
  private static let page = improvFrame(1, ["http://lamp.local/"])

  @Test("A session opens with three subscriptions and two reads, and assures nothing")
  func opening() {
    var app = App(unopened: ())
    #expect(app.begin() == ["subscribe 8001"])
    #expect(app.tell(.subscribed(ImprovService.state)) == ["subscribe 8002"])
    #expect(app.tell(.subscribed(ImprovService.error)) == ["subscribe 8004"])
    #expect(app.tell(.subscribed(ImprovService.result)) == ["read 8005"])
    #expect(app.tell(.read(ImprovService.capabilities, [0x07])) == ["read 8001"])
    #expect(app.tell(.read(ImprovService.state, [1])) == ["opened none 7"])
    #expect(app.machine.nextDeadline == nil)
  }

  @Test("A device without capabilities can join networks, and a state that there is not ends the session")
  func oddDevices() {
    var app = App(unopened: ())
    let less = ImprovService.service.characteristics.filter { $0.uuid != ImprovService.capabilities }
    _ = app.begin(ProvisioningService(uuid: ImprovService.uuid, characteristics: less))
    _ = app.tell(.subscribed(ImprovService.state))
    _ = app.tell(.subscribed(ImprovService.error))
    #expect(app.tell(.subscribed(ImprovService.result)) == ["read 8001"])
    #expect(app.tell(.read(ImprovService.state, [9])) == ["failed malformed(\"a state that there is not\")"])
    #expect(app.state(2) == [])
    #expect(app.ask(.identify) == ["refused busy"])
  }

  @Test("Devices that lack a characteristic, refuse a subscription, serve another or are silent are given up")
  func unusable() throws {
    var lacking = App(unopened: ())
    #expect(
      lacking.begin(ProvisioningService(uuid: ImprovService.uuid, characteristics: []))
        == ["failed unsupported(\"a characteristic of Improv\")"])
    var refusing = App(unopened: ())
    _ = refusing.begin()
    #expect(
      refusing.tell(.subscriptionFailed(ImprovService.state, .attribute(5)))
        == ["failed refused(\"error 5 of the Attribute Protocol\")"])
    var serving = App(unopened: ())
    #expect(serving.opening(3).last == "failed busy")
    var stopped = App(unopened: ())
    #expect(stopped.opening(0).last == "failed refused(\"Improv has stopped\")")
    var silent = App(unopened: ())
    _ = silent.begin()
    #expect(try silent.timeout() == ["failed timedOut"])
  }

  @Test("A join ends with the device's page")
  func join() throws {
    var app = try App()
    #expect(try app.join() == [Self.write])
    #expect(app.tell(.wrote(ImprovService.command)) == [])
    #expect(app.error(0) == [])
    #expect(app.state(3) == ["network connecting"])
    #expect(app.state(4) == [])
    #expect(app.result(Self.page) == ["connected MyWirelessAP http://lamp.local/"])
    #expect(app.ask(.status) == ["read 8001"])
    #expect(app.tell(.read(ImprovService.state, [4])) == ["connected MyWirelessAP without a page"])
  }

  @Test("A device that takes commands without response gets them in pieces")
  func pieces() throws {
    var app = App(unopened: ())
    let characteristics = ImprovService.service.characteristics.map {
      $0.uuid == ImprovService.command
        ? ProvisioningCharacteristic(uuid: $0.uuid, properties: .writeWithoutResponse) : $0
    }
    _ = app.begin(ProvisioningService(uuid: ImprovService.uuid, characteristics: characteristics))
    for uuid in [ImprovService.state, ImprovService.error, ImprovService.result] { _ = app.tell(.subscribed(uuid)) }
    _ = app.tell(.read(ImprovService.capabilities, [1]))
    _ = app.tell(.read(ImprovService.state, [2]))
    let whole = ImprovBench.joinCommand
    #expect(try app.join() == ["command \(whole.prefix(40))", "command \(whole.dropFirst(40))"])
    #expect(app.error(3) == ["network failed(LatchkeyProvisioningProtocol.JoinFailure.other)"])
    #expect(app.ask(.identify) == ["command 020002", "done"])
  }

  @Test("52: results that are none end the request with an error, and the session goes on")
  func badResults() throws {
    let networks = hex("040e04486f6d65032d3630045750413253")
    let bad: [[UInt8]] = [
      Self.page, Array(networks.dropLast()) + [0x54], Array(networks.prefix(10)), networks + [0], [4],
      improvFrame(4, [0xFF, 65]), improvFrame(4, ["Home", "-60"]),
    ]
    for value in bad {
      var app = try App()
      #expect(app.ask(.scan) == ["write 040004"])
      let lines = app.result(value)
      #expect(lines.count == 1 && lines[0].hasPrefix("refused malformed"), "\(value)")
      #expect(app.machine.nextDeadline == nil)
      #expect(app.ask(.scan) == ["write 040004"])
      #expect(app.result(networks) == ["networks [\"Home -60 WPA2\"]"])
    }
  }

  @Test("52: a result that comes too late is no answer to the next command")
  func lateResult() throws {
    var app = try App()
    _ = app.ask(.scan)
    #expect(try app.timeout() == ["refused timedOut"])
    #expect(app.ask(.hostname(nil)) == ["write 050005"])
    #expect(app.result(hex("040004")) == [])
    #expect(app.result(improvFrame(5, ["lamp"])) == ["host lamp"])
    #expect(app.result(improvFrame(5, ["lamp"])) == [])
  }

  @Test("53: state 04 without a result is success after two seconds, or when the link ends")
  func withoutResult() throws {
    var app = try App()
    _ = try app.join()
    _ = app.state(3)
    app.now = .seconds(20)
    #expect(app.state(4) == [])
    #expect(app.machine.nextDeadline == .seconds(22))
    #expect(try app.timeout() == ["connected MyWirelessAP without a page"])
    var other = try App()
    _ = try other.join()
    _ = other.state(4)
    other.machine.disconnected(context: AppContext(now: .zero))
    #expect(other.tell(.wrote("")) == ["connected MyWirelessAP without a page"])
  }

  @Test("53: a bad result after state 04 is success without a page, and a result without state 04 is success")
  func halfSuccess() throws {
    var app = try App()
    _ = try app.join()
    _ = app.state(4)
    #expect(app.result([1, 0, 2]) == ["connected MyWirelessAP without a page"])
    var other = try App()
    _ = try other.join()
    #expect(other.result(hex("010001")) == ["connected MyWirelessAP without a page"])
  }

  @Test("53: error 03 without a state, and a state that goes back without an error, are failures")
  func failures() throws {
    var app = try App()
    _ = try app.join()
    _ = app.state(3)
    let failed = "network failed(LatchkeyProvisioningProtocol.JoinFailure.other)"
    #expect(app.error(3) == [failed])
    #expect(try app.join() == [Self.write])
    #expect(app.state(2) == [])
    #expect(app.state(3) == ["network connecting"])
    #expect(app.state(2) == [failed])
    #expect(app.error(3) == [])
  }

  @Test("54: only pages of the Web are named")
  func pages() throws {
    let pages: [([UInt8], String?)] = [
      (Array("javascript:alert(1)".utf8), nil), (Array("https://".utf8) + [0xFF, 0xFE], nil),
      (Array("file:///etc/passwd".utf8), nil), (Array("http://".utf8), nil), ([], nil),
      (Array("http://a b/".utf8), nil), (Array("http://a/\u{1B}[2J".utf8), nil),
      (Array(" http://a/".utf8), nil), (Array("HTTPS://a/".utf8), "HTTPS://a/"),
      (Array("http://192.168.1.2/?a=b".utf8), "http://192.168.1.2/?a=b"),
    ]
    for (bytes, page) in pages {
      var app = try App()
      _ = try app.join()
      #expect(
        app.result(improvFrame(1, [UInt8(bytes.count)] + bytes)) == [
          "connected MyWirelessAP \(page ?? "without a page")"
        ])
    }
  }

  @Test("A join waits for somebody at the device, and no longer than two minutes")
  func authorization() throws {
    var app = try App(state: 1)
    #expect(try app.join() == ["needs authorization"])
    #expect(app.error(4) == [])
    #expect(app.state(1) == [])
    #expect(app.state(2) == [Self.write])
    #expect(app.error(4) == ["refused notAuthorized"])
    #expect(app.state(1) == [])
    #expect(app.ask(.hostname("lamp")) == ["needs authorization"])
    #expect(try app.timeout() == ["refused notAuthorized"])
    #expect(app.state(2) == [])
  }

  @Test("Requests that the device does not offer, or that make no sense, are never sent")
  func neverSent() throws {
    var app = try App(capabilities: 0)
    for request: AppRequest in [
      .scan, .identify, .information, .hostname(nil), .forget, .custom(endpoint: "a", body: []), .name(""),
      .name(String(repeating: "a", count: 256)),
    ] {
      let lines = app.ask(request)
      #expect(lines.count == 1 && lines[0].hasPrefix("refused"), "\(lines)")
    }
    var other = try App()
    #expect(other.ask(.hostname("-a")) == ["refused refused(\"no host may have this name\")"])
    #expect(other.ask(.scan).count == 1)
    #expect(other.ask(.scan) == ["refused busy"])
  }

  @Test("The device's name is asked for, and error 02 says that there is none")
  func name() throws {
    var app = try App()
    #expect(app.ask(.name(nil)) == ["write 060006"])
    #expect(app.error(2) == ["refused unsupported(\"command 6 of Improv\")"])
    #expect(app.ask(.name("Flur")) == ["write \(Hexadecimal.encode(improvFrame(6, Array("Flur".utf8))))"])
    #expect(app.result(improvFrame(6, ["Flur"])) == ["name Flur"])
  }

  @Test("Information has four strings or more")
  func information() throws {
    var app = try App()
    #expect(app.ask(.information) == ["write 030003"])
    #expect(app.result(improvFrame(3, ["a", "b", "c"])) == ["refused malformed(\"a result of a wrong length\")"])
    _ = app.ask(.information)
    #expect(app.result(improvFrame(3, ["a", "b", "c", "d", "e", "f", "g"])) == ["information d e"])
  }

  @Test("A failed write ends the request, and each error of the device has its words")
  func errors() throws {
    var app = try App()
    _ = app.ask(.scan)
    #expect(
      app.tell(.writeFailed(ImprovService.command, .other("gone"))) == ["refused refused(\"gone\")"])
    for (error, words) in [
      (1, "refused(\"the command is not valid\")"), (5, "refused(\"the name is not allowed\")"),
      (0xFF, "refused(\"error 255 of Improv\")"),
    ] as [(UInt8, String)] {
      _ = app.ask(.hostname("lamp"))
      #expect(app.error(error) == ["refused \(words)"])
    }
    #expect(app.error(1) == [])
    #expect(app.tell(.notified(ImprovService.error, [])) == ["failed malformed(\"an error of 0 bytes\")"])
  }

  @Test("Our app provisions our device, at every size of a notification", arguments: [20, 182, 514])
  func together(_ limit: Int) throws {
    var bench = ImprovBench(limit: limit)
    var app = try App(capabilities: 0x0F)
    _ = try app.join()
    var lines: [String] = []
    let steps: [[String]] = [
      bench.write(ImprovBench.joinCommand), bench.complete(.done),
      bench.change { $0.network = .connected(JoinedNetwork(ssid: [65])) },
    ]
    for line in steps.joined() {
      let words = line.split(separator: " ")
      guard words.count == 2 else { continue }
      switch words[0] {
      case "state": lines += app.tell(.notified(ImprovService.state, hex(String(words[1]))))
      case "error": lines += app.tell(.notified(ImprovService.error, hex(String(words[1]))))
      case "result": lines += app.result(hex(String(words[1])))
      default: break
      }
    }
    let page = limit == 20 ? "without a page" : "http://lamp.local/"
    #expect(lines == ["network connecting", "connected MyWirelessAP \(page)"])
  }
}
