import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

@Suite("Commands of a device of Improv")
struct ImprovDeviceCommandTests {
  @Test("48: a host name is set in the specification's form and in that of Home Assistant's client")
  func hostnameForms() {
    for frame in ["05046c616d70b3", "0505046c616d70b8"] {
      var bench = ImprovBench { $0.hostname = "old" }
      #expect(bench.write(frame) == ["set host lamp"])
      #expect(bench.complete(.done) == ["result \(Hexadecimal.encode(improvFrame(5, ["lamp"])))"])
      #expect(bench.write("050005") == ["result \(Hexadecimal.encode(improvFrame(5, ["lamp"])))"])
    }
  }

  @Test("48: names that no host may have are error 05")
  func badHostnames() {
    var bench = ImprovBench()
    let names = ["-a", "a-", "a_b", ".a", "a.", "a..b", "a b", "ä", "a\u{0}", String(repeating: "a", count: 64)]
    for name in names {
      #expect(bench.write(improvFrame(5, Array(name.utf8))) == ["error 05"], "\(name)")
      #expect(bench.write(improvFrame(5, [UInt8(name.utf8.count)] + Array(name.utf8))) == ["error 05"], "\(name)")
    }
    // 255 characters are the most that a command has.
    #expect(bench.write(improvFrame(5, Array(repeating: 97, count: 255))) == ["error 05"])
    let long = String(repeating: "a", count: 63)
    #expect(bench.write(improvFrame(5, Array(long.utf8))) == ["error 00", "set host \(long)"])
    #expect(bench.complete(.failed(.invalid)) == ["error 05"])
    #expect(bench.write("050005").last == "result \(Hexadecimal.encode(improvFrame(5, ["lamp"])))")
  }

  @Test("48: a host name, even to be read, needs authorization")
  func hostnameNeedsAuthorization() {
    var bench = ImprovBench(isAuthorized: false)
    #expect(bench.write("050005") == ["error 04"])
    #expect(bench.write("05046c616d70b3") == ["error 04"])
  }

  @Test("The device's name is read by anyone, and set with authorization")
  func name() {
    var bench = ImprovBench(isAuthorized: false)
    #expect(bench.write("060006") == ["result \(Hexadecimal.encode(improvFrame(6, ["Lamp"])))"])
    let set = improvFrame(6, Array("Flur 🏃".utf8))
    #expect(bench.write(set) == ["error 04"])
    _ = bench.change { $0.isAuthorized = true }
    #expect(bench.write(set) == ["error 00", "set name Flur 🏃"])
    #expect(bench.write(set) == ["error ff"])
    #expect(bench.complete(.done) == ["result \(Hexadecimal.encode(improvFrame(6, ["Flur 🏃"])))"])
    #expect(bench.write("030003").last?.contains(Hexadecimal.encode(Array("Flur".utf8))) == true)
    for bad: [UInt8] in [[0xFF, 0xFE], [10], Array("a\u{202E}b".utf8)] {
      #expect(bench.write(improvFrame(6, bad)) == ["error 05"])
    }
  }

  @Test("49: device information has four strings, and six only if it is configured")
  func information() throws {
    var bench = ImprovBench(isAuthorized: false)
    let four = Hexadecimal.encode(improvFrame(3, ["latchkey", "1.0", "x86_64", "Lamp"]))
    #expect(bench.write("030003") == ["result \(four)"])
    #expect(bench.read(ImprovService.result) == four)
    #expect(bench.write("03010004") == ["error 01"])
    var six = ImprovBench { $0.sendsSystem = true }
    let all = Hexadecimal.encode(improvFrame(3, ["latchkey", "1.0", "x86_64", "Lamp", "Debian", "12"]))
    #expect(six.write("030003") == ["result \(all)"])
  }

  @Test("50: of forty networks the strongest come in one frame that fits", arguments: [20, 182, 244, 514])
  func scan(_ limit: Int) throws {
    var bench = ImprovBench(isAuthorized: false, limit: limit)
    let networks = (0..<40).map {
      ScannedNetwork(ssid: Array("Net\($0)".utf8), rssi: -90 + $0, security: .wpa2)
    }
    #expect(bench.write("040004") == ["scan"])
    let lines = bench.complete(.networks(networks))
    let value = hex(String(try #require(lines.first).dropFirst("result ".count)))
    #expect(lines.count == 1)
    #expect(value.count <= min(limit, 258))
    let found = try ImprovNetworks.decode(try ImprovFrame(whole: value).data)
    // The last one may be weaker than one before it that did not fit.
    #expect(Array(found.dropLast()) == Array(networks.reversed().prefix(found.count - 1)))
    #expect(!found.isEmpty)
    #expect(limit < 182 || value.count > min(limit, 258) - 15)
  }

  @Test("50: names that are no text, empty names and second ones of a name are omitted")
  func unusableNames() throws {
    let networks = [
      ScannedNetwork(ssid: [0xFF, 0xFE], rssi: -10, security: .open),
      ScannedNetwork(ssid: [], rssi: -11, security: .open),
      ScannedNetwork(ssid: Array("A".utf8), rssi: -80, security: .open),
      ScannedNetwork(ssid: Array("A".utf8), rssi: -20, security: .open),
    ]
    let found = try ImprovNetworks.decode(ImprovNetworks.result(networks, limit: 244).data)
    #expect(found.map(\.rssi) == [-20])
  }

  @Test("50: who asks during a scan gets its result, and one who asks twice gets it once")
  func sharedScan() {
    var bench = ImprovBench()
    #expect(bench.write("040004") == ["scan"])
    #expect(bench.write("040004", from: ImprovBench.two) == [])
    #expect(bench.write("040004") == [])
    #expect(bench.complete(.networks([])) == ["result 040004 to 2", "result 040004"])
  }

  @Test("Identify is done once at a time, in any state, and has no result")
  func identify() {
    var bench = ImprovBench(isAuthorized: false)
    #expect(bench.write("020002") == ["identify"])
    #expect(bench.write("020002", from: ImprovBench.two) == [])
    #expect(bench.complete(.done) == [])
    #expect(bench.write("020002") == ["identify"])
  }

  @Test("51: the advertisement has 31 bytes, and state 00 is never advertised")
  func advertisement() throws {
    let bench = ImprovBench()
    let data = try #require(bench.machine.serviceData)
    #expect(data.uuid == 0x4677)
    #expect(Hexadecimal.encode(data.bytes) == "020f00000000")
    // Flags, the complete list with one 128-bit UUID, service data: each after its length and its type.
    let length = (2 + 1) + (2 + 16) + (2 + 2 + data.bytes.count)
    #expect(length == 31)
    var stopped = ImprovBench()
    _ = stopped.change { $0.network = .connected(JoinedNetwork(ssid: [65])) }
    _ = stopped.timeout()
    #expect(stopped.machine.serviceData == nil)
  }
}
