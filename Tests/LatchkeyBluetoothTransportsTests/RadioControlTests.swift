import LatchkeyBluetoothEmulator
import LatchkeyBluetoothHost
import NIOCore
import NIOPosix
import Testing

@testable import LatchkeyBluetoothTransports

/// A radio with two controllers that is told what to do by lines.
struct RadioControlTests {
  private let clock = VirtualClock()
  private let radio: VirtualRadio
  private let control: RadioControl

  init() {
    radio = VirtualRadio(scheduler: clock)
    radio.addController("a", ControllerConfiguration(features: .all))
    radio.addController("b", ControllerConfiguration(features: .all))
    control = RadioControl(radio)
  }

  @Test("The controllers are listed, and the grammar is printed") func listing() {
    #expect(control.perform("list") == ["a", "b", "ok"])
    #expect(control.perform("help").first?.hasPrefix("list ") == true && control.perform("help").last == "ok")
    #expect(control.perform("") == ["ok"] && control.perform("  \t ") == ["ok"])
  }

  @Test(
    "A line that cannot be done says what to type, and changes nothing",
    arguments: [
      ("nonsense", "type help"), ("list a", "type list"), ("distance", "type distance A B METERS|none"),
      ("distance a b", "type distance"), ("distance a b 1 2", "type distance"),
      ("distance a a 1", "name two controllers"),
      ("distance a c 1", "there is no controller c: there are a, b"), ("distance a b -1", "0 or more"),
      ("distance a b nan", "a distance"), ("distance a b inf", "a distance"), ("distance a b 1e9", "a distance"),
      ("distance a b ten", "a distance"), ("rssi a b 21", "-127 to 20"), ("rssi a b -128", "-127 to 20"),
      ("loss a b 1.01", "0 to 1"), ("loss a b -0.1", "0 to 1"), ("power a", "type power A on|off"),
      ("power a maybe", "type power A on"), ("power c on", "no controller c"), ("drop", "type drop A"),
      ("drop c", "no controller c"),
      ("reset", "type reset A"), ("fault a", "help lists the kinds"), ("fault c none", "no controller c"),
      ("fault a nonsense", "there is no fault nonsense"), ("fault a none 1", "type fault A none"),
      ("fault a lose-link", "type fault A lose-link N"), ("fault a lose-link 0", "1 to 1000000"),
      ("fault a lose-link 99999999999999999999", "1 to 1000000"), ("fault a refuse 200d", "type fault A refuse"),
      ("fault a refuse 20zz 0c", "an opcode in hexadecimal digits"), ("fault a refuse 200d 00", "a status"),
      ("fault a refuse 200d 100", "a status"), ("fault a refuse 10000 0c", "an opcode"),
      ("fault a silence", "type fault A silence"),
      ("fault a silence -1", "an opcode"), ("fault a silence +1", "an opcode"),
      ("fault a credits", "type fault A credits"),
      ("fault a credits late", "type fault A credits"), ("fault a credits late 0", "1 to 3600000"),
      ("fault a credits lost x", "1 to 1000000"), ("fault a buffers 26 1", "27 to 65535"),
      ("fault a buffers 27 0", "1 to 255"),
      ("fault a buffers 27", "type fault A buffers"), ("fault a no-scan-while-connecting now", "type fault"),
    ])
  func wrong(line: String, hint: String) {
    let answer = control.perform(line)
    #expect(answer.count == 1 && answer[0].hasPrefix("error: ") && answer[0].contains(hint), "\(answer)")
    #expect(!radio.faults(of: "a").refusesScanningWhileInitiating && radio.faults(of: "a").silentCommands.isEmpty)
    #expect(radio.controllerNames == ["a", "b"])
  }

  @Test("A controller of a radio without any is named as such") func emptyRadio() {
    #expect(
      RadioControl(VirtualRadio(scheduler: clock)).perform("drop a") == [
        "error: there is no controller a: there is none yet"
      ])
  }

  @Test("Faults are set one by one, and removed") func faults() {
    for line in [
      "fault a lose-link 7", "fault a refuse 200D 0C", "fault a refuse 0x2005 0x12", "fault a silence 2006",
      "fault a credits late 250", "fault a buffers 27 1", "fault a no-scan-while-connecting",
    ] { #expect(control.perform(line) == ["ok"]) }
    let faults = radio.faults(of: "a")
    #expect(faults.linkLoss == .init(afterPackets: 6))
    #expect(faults.refusedCommands == [0x200D: .commandDisallowed, 0x2005: HCIStatus(rawValue: 0x12)])
    #expect(faults.silentCommands == [0x2006] && faults.credits == .late(.milliseconds(250)))
    #expect(faults.buffers == .smallest && faults.refusesScanningWhileInitiating)
    for (words, credits) in [("lost 3", .everyLost(3)), ("withheld", .withheld), ("prompt", .prompt)]
      as [(String, ControllerFaults.Credits)]
    {
      #expect(control.perform("fault a credits \(words)") == ["ok"])
      #expect(radio.faults(of: "a").credits == credits)
    }
    #expect(control.perform("fault a none") == ["ok"])
    #expect(radio.faults(of: "a").linkLoss == nil && radio.faults(of: "a").refusedCommands.isEmpty)
  }

  @Test("Two hosts feel what the lines do") func effect() throws {
    func manager(
      _ number: UInt64, _ name: String, answer: @escaping @Sendable (TestManager, HostEvent) -> Void = { _, _ in }
    )
      -> TestManager
    {
      let driver = HostDriver(
        configuration: HostConfiguration(ownAddress: .staticRandom(number)), transport: radio.makeTransport(name),
        scheduler: clock)
      let manager = TestManager(driver, answer: answer)
      driver.start()
      return manager
    }
    let lamp = manager(1, "a")
    let phone = manager(2, "b")
    #expect(control.perform("distance a b 500") == ["ok"])
    lamp.driver.withHost { host, now in
      host.startAdvertising(lamp.client, AdvertisingParameters(localName: "Lamp"), now: now)
    }
    phone.driver.withHost { host, now in
      _ = host.startScan(phone.client, services: nil, allowDuplicates: true, now: now)
    }
    clock.advance(by: .seconds(3))
    #expect(phone.discoveries.isEmpty)
    #expect(control.perform("distance a b none") == ["ok"] && control.perform("rssi a b -77") == ["ok"])
    clock.advance(by: .seconds(3))
    #expect(phone.discoveries.last?.rssi == -77)
    let found = try #require(phone.discoveries.last)
    phone.driver.withHost { host, now in host.connect(phone.client, to: found.address, now: now) }
    clock.advance(by: .seconds(1))
    #expect(phone.link != nil && phone.disconnections == 0)
    #expect(control.perform("drop b") == ["ok"])
    #expect(phone.disconnections == 1)
    #expect(control.perform("power b off") == ["ok"])
    #expect(phone.states.last == .poweredOff)
    #expect(control.perform("power b on") == ["ok"])
    clock.advance(by: .seconds(1))
    #expect(phone.states.last == .poweredOn)
    #expect(control.perform("reset b") == ["ok"])
    clock.advance(by: .seconds(1))
    #expect(phone.states.suffix(2) == [.resetting, .poweredOn])
    #expect(control.perform("loss a b 1") == ["ok"] && control.perform("loss a b none") == ["ok"])
    lamp.driver.shutDown()
    phone.driver.shutDown()
  }
}

/// Lines over sockets.
@Suite(.timeLimit(.minutes(5)))
struct LineServerTests {
  /// A client that sends bytes, and reads to the end of the connection or so many lines.
  private func exchange(_ place: ListenSpecification, _ bytes: [UInt8], lines count: Int?) async throws -> [String] {
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    let initialize: @Sendable (any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> = { channel in
      channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
    }
    let channel =
      switch place.endpoint {
      case .tcp(let host, let port): try await bootstrap.connect(host: host, port: port, channelInitializer: initialize)
      case .unix(let path): try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: initialize)
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(bytes: bytes))
      var text = ""
      for try await buffer in inbound {
        text += String(buffer: buffer)
        if let count, text.split(separator: "\n").count >= count, text.last == "\n" { break }
      }
      return text.split(separator: "\n").map(String.init)
    }
  }

  @Test("Each line is answered in turn, over both kinds of sockets") func answers() async throws {
    for text in ["tcp-server:127.0.0.1:0", "unix-server:\(temporarySocketPath())"] {
      let server = LineServer { $0 == "twice" ? ["1", "2"] : ["<\($0)>"] }
      let place = try await server.start(at: ListenSpecification(text))
      let lines = try await exchange(place, Array("one\r\ntwice\n\nümlaut\n".utf8), lines: 5)
      #expect(lines == ["<one>", "1", "2", "<>", "<ümlaut>"])
      await server.shutDown()
    }
  }

  @Test("A line that is not UTF-8 is refused, and one that is too long ends its connection") func badLines()
    async throws
  {
    let server = LineServer { [$0] }
    let place = try await server.start(at: ListenSpecification("tcp-server:127.0.0.1:0"))
    #expect(try await exchange(place, [0xFF, 0x0A, 0x61, 0x0A], lines: 2) == ["error: a line is UTF-8", "a"])
    let long = [UInt8](repeating: 0x61, count: LineAssembler.longestLine + 1)
    #expect(try await exchange(place, long, lines: nil) == ["error: a line has 4096 bytes at most"])
    await server.shutDown()
  }

  @Test("No more than the limit of connections are served, and a shut down server serves none") func limit()
    async throws
  {
    let server = LineServer { [$0] }
    let place = try await server.start(at: ListenSpecification("tcp-server:127.0.0.1:0"))
    guard case .tcp(let host, let port) = place.endpoint else { return }
    var channels: [any Channel] = []
    for _ in 0..<LineServer.maximumClients {
      channels.append(
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: host, port: port).get())
    }
    // It is closed before or after it has written.
    let answer = try? await exchange(place, [0x61, 0x0A], lines: 1)
    #expect(answer ?? [] == [])
    await server.shutDown()
    for channel in channels { try? await channel.closeFuture.get() }
    await #expect(throws: (any Error).self) { try await exchange(place, [0x61, 0x0A], lines: nil) }
  }
}
