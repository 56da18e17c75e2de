import LatchkeyNetworkJoining
import LatchkeyProvisioningProtocol
import LatchkeyTestSupport
import Testing

@Suite("Joining networks by iwd", .needsDouble)
struct IwdJoinerTests {
  private static let home = Array("Home".utf8)
  private static let network = #"{"ssid":"486f6d65","signal":-4800}"#
  private static let old = #"{"ssid":"4f6c64","known":true,"connected":true}"#
  private static let path = "/net/connman/iwd/0/3/486f6d65_psk"

  private func credentials(
    _ passphrase: String = "secret123", ssid: [UInt8] = home, isHidden: Bool = false
  ) throws -> NetworkCredentials {
    try NetworkCredentials(ssid: ssid, passphrase: Array(passphrase.utf8), isHidden: isHidden)
  }

  private func double(
    _ attempts: String = "", networks: String = network, _ more: String = ""
  ) throws -> IwdDouble {
    try IwdDouble(#"{"networks":[\#(networks)],"attempts":[\#(attempts)]\#(more)}"#)
  }

  @Test("A right passphrase joins: iwd asks for it, and keeps the network")
  func right() async throws {
    let double = try double(networks: Self.network + "," + Self.old)
    let network = try await double.joiner().join(credentials())
    #expect(
      network == JoinedNetwork(ssid: Self.home, address: "192.168.7.5", security: .wpa2WPA3, isKept: true))
    #expect(
      try double.log() == ["connect 486f6d65", "asked secret123", "profiles 2 4f6c64 486f6d65*"])
    #expect(try await double.joiner().current()?.ssid == Self.home)
  }

  @Test("A wrong passphrase is told, the network is not kept, and the one from before is joined again")
  func wrong() async throws {
    let double = try double(networks: Self.network + "," + Self.old)
    await #expect(throws: JoinFailure.wrongPassphrase) { try await double.joiner().join(credentials("secret124")) }
    let log = try double.log()
    #expect(log.prefix(2) == ["connect 486f6d65", "asked secret124"])
    #expect(log.suffix(2) == ["connect 4f6c64", "profiles 1 4f6c64*"])
  }

  @Test("A wrong passphrase is told though iwd cannot scan after the attempt")
  func wrongWithoutScan() async throws {
    let double = try double(
      #"{"error":"net.connman.iwd.Failed"}"#, networks: Self.network, #","scan":"net.connman.iwd.NotSupported""#)
    await #expect(throws: JoinFailure.wrongPassphrase) { try await double.joiner().join(credentials("secret124")) }
    #expect(try double.log().last == "profiles 0")
  }

  @Test(
    "Errors tell failures apart, and each leaves nothing behind",
    arguments: [
      (#"{"error":"net.connman.iwd.Timeout"}"#, .timedOut), (#"{"error":"net.connman.iwd.Aborted"}"#, .other),
      (#"{"error":"net.connman.iwd.NotFound"}"#, .networkNotFound), (#"{"error":"org.unheard.Of"}"#, .other),
      (#"{"error":"net.connman.iwd.NotAvailable"}"#, .radioUnavailable),
      (#"{"error":"net.connman.iwd.InvalidFormat"}"#, .wrongPassphrase),
      (#"{"error":"net.connman.iwd.Failed"}"#, .wrongPassphrase),
      (#"{"error":"net.connman.iwd.Failed","ask":false}"#, .other),
      (#"{"error":"net.connman.iwd.Failed","gone":true}"#, .networkNotFound),
      (#"{"error":"org.freedesktop.DBus.Error.AccessDenied"}"#, .notPermitted),
    ] as [(String, JoinFailure)])
  func failures(_ attempt: String, _ failure: JoinFailure) async throws {
    let double = try double(attempt)
    await #expect(throws: failure) { try await double.joiner().join(credentials()) }
    #expect(try double.log().last == "profiles 0")
  }

  @Test("A network that iwd knew before stays known when the attempt fails")
  func known() async throws {
    let double = try double(
      #"{"error":"net.connman.iwd.Failed"},{"ask":true}"#, networks: #"{"ssid":"486f6d65","known":true}"#)
    await #expect(throws: JoinFailure.wrongPassphrase) { try await double.joiner().join(credentials("secret124")) }
    #expect(try double.log().last == "profiles 1 486f6d65")
    let changed = try self.double(
      #"{"error":"net.connman.iwd.Failed"},{"ask":true}"#, networks: #"{"ssid":"486f6d65","known":true}"#)
    _ = try await changed.joiner().join(credentials())
    #expect(
      try changed.log() == ["connect 486f6d65", "connect 486f6d65", "asked secret123", "profiles 1 486f6d65*"])
  }

  @Test("A network that gives no address is left and forgotten")
  func noAddress() async throws {
    let double = try double()
    await #expect(throws: JoinFailure.noAddress) { try await double.joiner(.noAddress).join(credentials()) }
    #expect(try double.log().suffix(3) == ["disconnect", "forget 486f6d65", "profiles 0"])
  }

  @Test("A network without a route to others is joined, and has no Internet")
  func noInternet() async throws {
    let double = try double()
    #expect(try await double.joiner(.noRoute).join(credentials()).reach == .noInternet)
  }

  @Test("Open networks need no passphrase, and nobody is asked")
  func open() async throws {
    let double = try double(networks: #"{"ssid":"486f6d65","type":"open"}"#)
    #expect(try await double.joiner().join(credentials("")).security == .open)
    #expect(try double.log() == ["connect 486f6d65", "profiles 1 486f6d65*"])
  }

  @Test("Of two networks of a name the passphrase chooses")
  func twins() async throws {
    let twins = #"{"ssid":"486f6d65","type":"open"},\#(Self.network)"#
    let (closed, open) = (try double(networks: twins), try double(networks: twins))
    #expect(try await closed.joiner().join(credentials()).security == .wpa2WPA3)
    #expect(try await open.joiner().join(credentials("")).security == .open)
  }

  @Test("A hidden network is found by its name, asked for, and forgotten if the passphrase is wrong")
  func hidden() async throws {
    let hidden = #","hidden":{"ssid":"486f6d65"}"#
    let double = try double(networks: "", hidden)
    let network = try await double.joiner().join(credentials(isHidden: true))
    #expect(network.ssid == Self.home)
    #expect(
      try double.log() == ["scan", "hidden 486f6d65", "asked secret123", "profiles 1 486f6d65*"])
    let wrong = try self.double(networks: "", hidden)
    await #expect(throws: JoinFailure.wrongPassphrase) {
      try await wrong.joiner().join(credentials("secret124", isHidden: true))
    }
    #expect(try wrong.log().last == "profiles 0")
    let none = try self.double(networks: "")
    await #expect(throws: JoinFailure.networkNotFound) { try await none.joiner().join(credentials()) }
  }

  @Test("The passphrase goes to iwd alone, and for the network of the attempt alone")
  func agent() async throws {
    let double = try double(
      #"{"stranger":true,"arguments":"types","for":"/net/connman/iwd/0/3/4f6c64_psk"}"#)
    _ = try await double.joiner().join(credentials())
    #expect(
      try double.log() == [
        "connect 486f6d65", "asked org.freedesktop.DBus.Error.AccessDenied",
        "asked org.freedesktop.DBus.Error.InvalidArgs", "asked net.connman.iwd.Agent.Error.Canceled",
        "asked secret123", "profiles 1 486f6d65*",
      ])
  }

  @Test("Passphrases and names that iwd cannot have are refused before anything is sent")
  func impossible() async throws {
    let double = try double()
    for passphrase in ["", "short", "ümlautpass", String(repeating: "x", count: 64), "zero\u{0}byte"] {
      await #expect(throws: JoinFailure.wrongPassphrase) { try await double.joiner().join(credentials(passphrase)) }
    }
    await #expect(throws: JoinFailure.other) {
      try await double.joiner().join(credentials(String(repeating: "a", count: 64)))
    }
    await #expect(throws: JoinFailure.networkNotFound) {
      try await double.joiner().join(credentials(ssid: [0xFF, 0xFE]))
    }
    #expect(try double.log().filter { $0 != "scan" } == ["profiles 0"])
  }

  @Test("A scan lists the networks in reach, strongest first, each name once")
  func scan() async throws {
    let networks = [
      Self.network, #"{"ssid":"486f6d65","type":"open","signal":-3000}"#,
      #"{"ssid":"41","type":"8021x","signal":-7050}"#,
      #"{"ssid":"42","type":"wep","signal":200}"#, #"{"ssid":"43","signal":-30000}"#,
      #"{"ssid":"\#(String(repeating: "61", count: 33))","signal":-100}"#,
    ].joined(separator: ",")
    let double = try double(
      networks: networks, #","found":{"ssid":"\#(String(repeating: "61", count: 32))","signal":-9900}"#)
    let found = try await double.joiner().scan()
    #expect(found.map(\.name) == ["B", "Home", "A", String(repeating: "a", count: 32), "C"])
    #expect(found.map(\.rssi) == [0, -30, -70, -99, -127])
    #expect(found.map(\.security) == [.wep, .open, .wpa2Enterprise, .wpa2WPA3, .wpa2WPA3])
  }

  @Test("A scan while another one is under way gives what is known, and one that is not permitted is refused")
  func refusedScan() async throws {
    let busy = try self.double("", #","scan":"net.connman.iwd.InProgress""#)
    #expect(try await busy.joiner().scan().map(\.name) == ["Home"])
    let denied = try self.double("", #","scan":"org.freedesktop.DBus.Error.AccessDenied""#)
    await #expect(throws: JoinFailure.notPermitted) { try await denied.joiner().scan() }
  }

  @Test("Ten thousand networks are cut, and objects of other types are none")
  func hostile() async throws {
    let many = try double("", #","hostile":"many""#)
    #expect(try await many.joiner().scan().count == 512)
    let types = try double("", #","hostile":"types""#)
    await #expect(throws: JoinFailure.radioUnavailable) { try await types.joiner().scan() }
    await #expect(throws: JoinFailure.radioUnavailable) { try await types.joiner().join(credentials()) }
  }

  @Test("Without a bus, a service or a radio the radio is unavailable")
  func unavailable() async throws {
    let nobody = IwdJoiner(
      interface: nil, address: "unix:path=/nonexistent/bus", link: TestLink().link, limits: JoinLimits())
    await #expect(throws: JoinFailure.radioUnavailable) { try await nobody.scan() }
    for double in [try IwdDouble(nil), try IwdDouble(#"{"stations":[]}"#)] {
      await #expect(throws: JoinFailure.radioUnavailable) { try await double.joiner().scan() }
      await #expect(throws: JoinFailure.radioUnavailable) { try await double.joiner().join(credentials()) }
    }
    let double = try double()
    await #expect(throws: JoinFailure.radioUnavailable) { try await double.joiner(interface: "wlan7").scan() }
  }

  @Test("iwd that ends, or a bus that ends, ends the attempt")
  func gone() async throws {
    let double = try double(#"{"exit":true}"#)
    await #expect(throws: JoinFailure.radioUnavailable) { try await double.joiner().join(credentials()) }
    let other = try self.double(#"{"hang":true}"#)
    let (joiner, network) = (other.joiner(), try credentials())
    let attempt = Task { try await joiner.join(network) }
    #expect(await other.line() == "connect 486f6d65")
    other.endBus()
    await #expect(throws: JoinFailure.radioUnavailable) { try await attempt.value }
  }

  @Test("A canceled attempt ends, though iwd does not say how it went, and leaves nothing behind")
  func canceled() async throws {
    let double = try double(#"{"hang":true}"#)
    let (joiner, credentials) = (double.joiner(), try credentials())
    let attempt = Task { try await joiner.join(credentials) }
    #expect(await double.line() == "connect 486f6d65")
    attempt.cancel()
    await #expect(throws: JoinFailure.other) { try await attempt.value }
    #expect(try double.log() == ["disconnect", "profiles 0"])
  }

  @Test("Forgetting has iwd forget what was joined here, and no other network")
  func forget() async throws {
    let double = try double(networks: Self.network + "," + Self.old)
    let joiner = double.joiner()
    _ = try await joiner.join(credentials())
    _ = try double.log()
    try await joiner.forget()
    #expect(try double.log() == ["forget 486f6d65", "profiles 1 4f6c64"])
    // Nothing was joined by this one, and the device is in no network.
    try await double.joiner().forget()
    #expect(try double.log() == ["profiles 1 4f6c64"])
  }
}
