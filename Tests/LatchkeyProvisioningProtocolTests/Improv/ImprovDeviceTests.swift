import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

/// The numbers are those of the list of cases that implementations of this protocol get wrong.
@Suite("A device of Improv")
struct ImprovDeviceTests {
  private static let join = ImprovBench.joinCommand
  private static let joinLines = ["state 03", "advertise 030f00000000", "join MyWirelessAP mysecurepassword"]

  @Test("40: a command is the same in one write, in writes of any size, and in a long write", arguments: 1...33)
  func pieces(_ size: Int) {
    var bench = ImprovBench()
    let frame = hex(Self.join)
    var lines: [String] = []
    for start in stride(from: 0, to: frame.count, by: size) {
      lines += bench.write(Array(frame[start..<min(start + size, frame.count)]))
    }
    // Nobody has subscribed before the first write, which makes the link known.
    #expect(lines == Self.joinLines)
    #expect(bench.machine.nextDeadline == nil)
  }

  @Test("41: a wrong checksum, a wrong length and a byte more are error 01, and nothing of them is kept")
  func damaged() {
    for damaged in [
      Self.join.dropLast(2) + "c1", "011d" + Self.join.dropFirst(4), Self.join + "00",
    ] {
      var bench = ImprovBench()
      #expect(bench.write(String(damaged)) == ["error 01"])
      #expect(bench.read(ImprovService.error) == "01")
      #expect(bench.machine.nextDeadline == nil)
      #expect(bench.write(Self.join) == ["error 00"] + Self.joinLines)
    }
  }

  @Test("42: unknown commands are error 02, and error 01 with a wrong checksum")
  func unknown() {
    var bench = ImprovBench()
    #expect(bench.write("070007") == ["error 02"])
    #expect(bench.write("ff00ff") == ["error 02"])
    #expect(bench.write("ff00fe") == ["error 01"])
    #expect(bench.write("000000") == ["error 02"])
  }

  @Test("42: a command that the device does not offer is unknown", arguments: 2...6 as ClosedRange<UInt8>)
  func notOffered(_ command: UInt8) {
    var bench = ImprovBench {
      $0.capabilities = []
      $0.hasName = false
    }
    #expect(bench.write(improvFrame(command, [UInt8]())) == ["error 02"])
    #expect(bench.read(ImprovService.capabilities) == "00")
  }

  @Test("43: credentials without authorization are error 04, and join nothing")
  func unauthorized() {
    var bench = ImprovBench(isAuthorized: false)
    #expect(bench.read(ImprovService.state) == "01")
    #expect(bench.write(Self.join) == ["error 04"])
    #expect(bench.change { $0.isAuthorized = true } == ["state 02", "advertise 020f00000000"])
    #expect(bench.write(Self.join) == ["error 00"] + Self.joinLines)
  }

  @Test("43: authorization that has ended counts even before the machine was told")
  func lapsed() {
    var bench = ImprovBench()
    bench.context.isAuthorized = false
    #expect(bench.write(Self.join) == ["state 01", "advertise 010f00000000", "error 04"])
  }

  @Test("44: half a command is forgotten with its link, and after five seconds")
  func half() {
    var bench = ImprovBench()
    let half = String(Self.join.prefix(20))
    #expect(bench.write(half) == [])
    #expect(bench.machine.nextDeadline == .seconds(5))
    #expect(bench.disconnect() == [])
    #expect(bench.machine.nextDeadline == nil)
    #expect(bench.write(half) == [])
    #expect(bench.timeout() == ["error 01"])
    #expect(bench.write(Self.join) == ["error 00"] + Self.joinLines)
  }

  @Test("44: a late command counts although nobody told the machine of its deadline")
  func halfWithoutTimer() {
    var bench = ImprovBench()
    #expect(bench.write(String(Self.join.prefix(20))) == [])
    bench.context.now = .seconds(5)
    #expect(bench.write(Self.join) == Self.joinLines)
  }

  @Test("45: inner lengths that pass the end are error 01")
  func innerLengths() {
    var bench = ImprovBench()
    let inner: [[UInt8]] = [
      [0xFF, 65], [1, 65, 0xFF], [1, 65], [1, 65, 0, 0], [0, 0], [], [33] + Array(repeating: 65, count: 33) + [0],
    ]
    for data in inner {
      #expect(bench.write(improvFrame(1, data)) == ["error 01"], "\(data)")
    }
    #expect(bench.write(improvFrame(1, [1, 65, 129] + Array(repeating: 66, count: 129))) == ["error 01"])
    #expect(bench.write(improvFrame(1, [1, 65, 128] + Array(repeating: 66, count: 128))).contains("state 03"))
  }

  @Test("45: one byte waits for more, the longest frame is answered, and a longer value is error 01")
  func extremes() {
    var bench = ImprovBench()
    #expect(bench.write("01") == [])
    #expect(bench.write("") == [])
    #expect(bench.timeout() == ["error 01"])
    let longest = improvFrame(7, Array(repeating: 0, count: 255))
    #expect(longest.count == 258)
    #expect(bench.write(longest) == ["error 02"])
    #expect(bench.write(longest + [0]) == ["error 01"])
    #expect(bench.write(Array(repeating: 0xFF, count: 512)) == ["error 01"])
    #expect(bench.write(Array(longest.prefix(257))) == [])
    #expect(bench.write([0, 0]) == ["error 01"])
  }

  @Test("46: success is state 03, state 04 and then the result; a second later the service stops")
  func success() {
    var bench = ImprovBench()
    #expect(bench.write(Self.join) == Self.joinLines)
    #expect(bench.change { $0.network = .connecting } == [])
    #expect(bench.complete(.done) == [])
    bench.context.now = .seconds(7)
    let result = Hexadecimal.encode(improvFrame(1, ["http://lamp.local/"]))
    #expect(
      bench.change { $0.network = .connected(JoinedNetwork(ssid: [65])) }
        == ["state 04", "advertise 040f00000000", "result \(result)"])
    #expect(bench.machine.nextDeadline == .seconds(8))
    #expect(bench.machine.isAdvertised)
    #expect(bench.timeout() == ["advertise nothing"])
    #expect(!bench.machine.isAdvertised)
    #expect(bench.write(Self.join) == ["refused 252"])
  }

  @Test("46: the joined network's page goes before the configured one, and without room there is none")
  func pages() {
    for (limit, page, expected) in [
      (244, "http://a/" as String?, improvFrame(1, ["http://a/"])), (20, nil, improvFrame(1, [UInt8]())),
      (22, nil, improvFrame(1, ["http://lamp.local/"])), (21, nil, improvFrame(1, [UInt8]())),
    ] {
      var bench = ImprovBench(limit: limit)
      _ = bench.write(Self.join)
      _ = bench.complete(.done)
      let lines = bench.change { $0.network = .connected(JoinedNetwork(ssid: [65], page: page)) }
      #expect(lines.last == "result \(Hexadecimal.encode(expected))")
    }
  }

  @Test("46: a result is gone for the next central, and each sees its own error")
  func stale() {
    var bench = ImprovBench()
    _ = bench.write("030003")
    _ = bench.write("070007")
    #expect(bench.read(ImprovService.result).hasPrefix("03"))
    #expect(bench.read(ImprovService.error) == "02")
    #expect(bench.read(ImprovService.result, from: ImprovBench.two) == "")
    #expect(bench.read(ImprovService.error, from: ImprovBench.two) == "00")
    _ = bench.disconnect()
    #expect(bench.read(ImprovService.result) == "")
    #expect(bench.read(ImprovService.error) == "00")
  }

  @Test("47: failure is error 03 and then state 02, or 01 where authorization has ended", arguments: [true, false])
  func failure(_ isAuthorized: Bool) {
    var bench = ImprovBench()
    #expect(bench.write(Self.join) == Self.joinLines)
    #expect(bench.change { $0.network = .connecting } == [])
    #expect(bench.complete(.done) == [])
    let state = isAuthorized ? "02" : "01"
    #expect(
      bench.change {
        $0.network = .failed(.wrongPassphrase)
        $0.isAuthorized = isAuthorized
      } == ["error 03", "state \(state)", "advertise \(state)0f00000000"])
    if isAuthorized { #expect(bench.write(Self.join) == ["error 00"] + Self.joinLines) }
  }

  @Test("55: authorization that ends while the device joins lets it go on")
  func authorizationEnds() {
    var bench = ImprovBench()
    #expect(bench.write(Self.join) == Self.joinLines)
    #expect(bench.change { $0.isAuthorized = false } == [])
    #expect(bench.change { $0.network = .connecting } == [])
    #expect(bench.complete(.done) == [])
    #expect(bench.read(ImprovService.state) == "03")
    #expect(bench.write(Self.join) == ["error 04"])
    #expect(bench.change { $0.network = .connected(JoinedNetwork(ssid: [65])) }.first == "state 04")
  }

  @Test("57: work that the device cannot do is error FF, and the service stays")
  func unavailable() {
    var bench = ImprovBench()
    #expect(bench.write(Self.join) == Self.joinLines)
    #expect(bench.complete(.failed(.unavailable)) == ["error ff", "state 02", "advertise 020f00000000"])
    #expect(bench.write("040004") == ["error 00", "scan"])
    #expect(bench.complete(.failed(.unavailable)) == ["error ff"])
    #expect(bench.machine.isAdvertised)
  }

  @Test("A second link's credentials are refused while the first one's are tried, and both see the state")
  func twoLinks() {
    var bench = ImprovBench()
    bench.machine.subscribed(true, to: ImprovService.state, from: ImprovBench.two, context: &bench.context)
    #expect(
      bench.write(Self.join) == [
        "state 03", "state 03 to 2", "advertise 030f00000000", "join MyWirelessAP mysecurepassword",
      ])
    #expect(bench.write(Self.join, from: ImprovBench.two) == ["error 04 to 2"])
    _ = bench.complete(.done)
    #expect(bench.disconnect() == [])
    #expect(
      bench.change { $0.network = .failed(.noAddress) } == ["state 02 to 2", "advertise 020f00000000"])
  }

  @Test("A link that came back gets no result of its predecessor")
  func lateWork() {
    var bench = ImprovBench()
    #expect(bench.write("040004") == ["scan"])
    _ = bench.disconnect()
    #expect(bench.complete(.networks([])) == [])
    #expect(bench.complete(.networks([])) == [])
  }

  @Test("A device that joins by another protocol stops the service, and offers it again when it has left the network")
  func elsewhere() {
    var bench = ImprovBench()
    #expect(
      bench.change { $0.network = .connected(JoinedNetwork(ssid: [65])) } == ["advertise 040f00000000"])
    #expect(bench.timeout() == ["advertise nothing"])
    #expect(bench.change { $0.network = .idle } == ["advertise 020f00000000"])
  }

  @Test("A service that is started in a network is there")
  func startedInNetwork() {
    var bench = ImprovBench(network: .connected(JoinedNetwork(ssid: [65])))
    #expect(bench.change { _ in } == [])
    #expect(bench.machine.isAdvertised)
    #expect(bench.write(Self.join) == Self.joinLines)
  }

  @Test("Accesses that the service does not have are refused")
  func accesses() {
    var bench = ImprovBench()
    #expect(bench.read(ImprovService.command) == "refused 2")
    bench.machine.write([1], to: ImprovService.state, from: ImprovBench.one, context: &bench.context)
    #expect(bench.lines() == ["refused 3"])
  }

  @Test("More links than a controller has get no place, and take none from the others")
  func flood() {
    var bench = ImprovBench()
    for id in UInt64(10)..<42 { #expect(bench.write("0102", from: ProvisioningLink(id: id)) == []) }
    #expect(bench.write("0102", from: ProvisioningLink(id: 99)) == ["refused 17"])
    #expect(bench.disconnect(ProvisioningLink(id: 10)) == [])
    #expect(bench.write("0102", from: ProvisioningLink(id: 99)) == [])
  }

  @Test("Links that come, ask for everything and go start one work of each kind")
  func comeAndGo() {
    var bench = ImprovBench()
    var works = 0
    for id in 100..<1100 {
      let link = ProvisioningLink(id: UInt64(id))
      for command in ["020002", "040004", "05046c616d70b3", ImprovBench.joinCommand] {
        works += bench.write(command, from: link).count { !$0.contains(" to ") && !$0.hasPrefix("advertise") }
      }
      _ = bench.disconnect(link)
    }
    #expect(works == 4)
  }

  @Test("Reports name no password and no network")
  func reports() {
    var bench = ImprovBench()
    _ = bench.write(Self.join)
    _ = bench.write(Self.join)
    _ = bench.write(String(Self.join.dropLast(2)) + "00")
    let text = bench.reports.map { "\($0)" }.joined()
    #expect(bench.reports.count == 3)
    #expect(!text.contains("secure") && !text.contains("Wireless"))
  }
}
