import LatchkeyByteCoding
import LatchkeyNetworkJoining
import LatchkeyProvisioningProtocol
import LatchkeyTestSupport
import Testing

@Suite("Joining networks by wpa_supplicant", .needsDouble)
struct SupplicantJoinerTests {
  private static let home = Array("Home".utf8)
  private static let point = #"{"ssid":"486f6d65","signal":-48,"frequency":5180}"#
  private static let added =
    "add id_str=latchkey-provisioned ieee80211w=1 key_mgmt=WPA-PSK priority=1 psk=secret123 ssid=486f6d65"
  private static let joining =
    #"["change",{"State":"authenticating"}],["change",{"State":"4way_handshake"}],["change",{"State":"completed"}]"#
  private static let wrong =
    #"["change",{"State":"4way_handshake"}],["change",{"State":"disconnected","DisconnectReason":15}]"#
  /// One that was selected before, one that may not be used, and one that may.
  private static let others =
    #","networks":[{"ssid":"4f6c64","current":true},{"ssid":"4f6666","enabled":false},{"ssid":"416c74"}]"#

  private func credentials(
    _ ssid: [UInt8] = home, _ passphrase: String = "secret123", isHidden: Bool = false
  ) throws -> NetworkCredentials {
    try NetworkCredentials(ssid: ssid, passphrase: Array(passphrase.utf8), isHidden: isHidden)
  }

  private func double(_ steps: String, points: String = point, _ more: String = "") throws -> SupplicantDouble {
    try SupplicantDouble(#"{"accessPoints":[\#(points)],"attempts":[[\#(steps)]]\#(more)}"#)
  }

  @Test("A right passphrase joins and is stored, and the networks from before may be used again")
  func right() async throws {
    let double = try double(Self.joining, Self.others)
    let network = try await double.joiner().join(credentials())
    #expect(
      network
        == JoinedNetwork(
          ssid: Self.home, address: "192.168.7.5", security: .wpa2, bssid: [2, 0, 0, 0, 0, 1], channel: 36, isKept: true
        ))
    #expect(
      try double.log() == [Self.added, "select 486f6d65", "save", "profiles 4 4f6c64+ 4f6666- 416c74+ 486f6d65+*"])
    #expect(try await double.joiner().current()?.ssid == Self.home)
  }

  @Test("A network that wpa_supplicant may not store is joined, and said not to be kept")
  func notStored() async throws {
    let double = try double(Self.joining, #","save":"Not allowed to update configuration (update_config=0)""#)
    #expect(try await double.joiner().join(credentials()).isKept == false)
  }

  @Test(
    "States and codes tell failures apart; each removes the network and restores what was selected",
    arguments: [
      (wrong, .wrongPassphrase), (#"["change",{"State":"4way_handshake"}],["mismatch"]"#, .wrongPassphrase),
      (#"["change",{"State":"scanning"}],["scanDone"],["scanDone"],["scanDone"]"#, .networkNotFound),
      (#"["change",{"State":"interface_disabled"}]"#, .radioUnavailable), (#"["removed"]"#, .radioUnavailable),
      (
        #"["change",{"State":"associating"}],["change",{"State":"disconnected"}],["change",{"State":"associating"}],["change",{"State":"disconnected"}],["change",{"State":"associating"}],["change",{"State":"disconnected"}]"#,
        .other
      ),
    ] as [(String, JoinFailure)])
  func failures(_ steps: String, _ failure: JoinFailure) async throws {
    let double = try double(steps, Self.others)
    await #expect(throws: failure) { try await double.joiner().join(credentials()) }
    #expect(
      try double.log() == [
        Self.added, "select 486f6d65", "remove 486f6d65", "select 4f6c64", "profiles 3 4f6c64+* 4f6666- 416c74+",
      ])
  }

  @Test(
    "A network that was tried, and is not in reach when the time is over, has gone",
    arguments: [(#",["gone"]"#, .networkNotFound), ("", .timedOut)] as [(String, JoinFailure)])
  func gone(_ more: String, _ failure: JoinFailure) async throws {
    let double = try double(
      #"["change",{"State":"authenticating"}],["change",{"State":"scanning"}]"# + more, Self.others)
    var link = TestLink()
    link.limits.association = .seconds(2)
    await #expect(throws: failure) { try await double.joiner(link).join(credentials()) }
    #expect(try double.log().last == "profiles 3 4f6c64+* 4f6666- 416c74+")
  }

  @Test("A network that gives no address is left, and restored is what was selected")
  func noAddress() async throws {
    let double = try double(Self.joining, Self.others)
    await #expect(throws: JoinFailure.noAddress) { try await double.joiner(.noAddress).join(credentials()) }
    #expect(try double.log().last == "profiles 3 4f6c64+* 4f6666- 416c74+")
  }

  @Test("A network without a route to others is joined, and has no Internet")
  func noInternet() async throws {
    let double = try double(Self.joining)
    #expect(try await double.joiner(.noRoute).join(credentials()).reach == .noInternet)
  }

  @Test("Networks get the settings that they need")
  func kinds() async throws {
    let mark = "id_str=latchkey-provisioned"
    let digits = String(repeating: "0aF9", count: 16)
    let cases: [(String, String, String, Bool, String)] = [
      (#"{"ssid":"41","rsn":[],"privacy":false}"#, "41", "", false, "add \(mark) key_mgmt=NONE priority=1 ssid=41"),
      (
        #"{"ssid":"41","rsn":["sae"]}"#, "41", "abc", false,
        "add \(mark) ieee80211w=2 key_mgmt=SAE priority=1 sae_password=abc ssid=41"
      ),
      (
        #"{"ssid":"41","rsn":["wpa-psk","sae"]}"#, "41", "secret123", false,
        "add \(mark) ieee80211w=1 key_mgmt=WPA-PSK SAE priority=1 psk=secret123 ssid=41"
      ),
      (
        #"{"ssid":"fffe00"}"#, "fffe00", digits, false,
        "add \(mark) ieee80211w=1 key_mgmt=WPA-PSK priority=1 psk=\(digits.lowercased()) ssid=fffe00"
      ),
      (
        #"{"ssid":"41","rsn":["owe"]}"#, "41", "", false,
        "add \(mark) ieee80211w=2 key_mgmt=OWE priority=1 ssid=41"
      ),
      (
        #"{"ssid":"41","rsn":[]}"#, "41", "12345", false,
        "add \(mark) key_mgmt=NONE priority=1 ssid=41 wep_key0=12345 wep_tx_keyidx=0"
      ),
      (
        #"{"ssid":"42"}"#, "41", "secret123", true,
        "add \(mark) ieee80211w=1 key_mgmt=WPA-PSK SAE priority=1 psk=secret123 scan_ssid=1 ssid=41"
      ),
      (#"{"ssid":"42"}"#, "41", "", false, "add \(mark) key_mgmt=NONE priority=1 scan_ssid=1 ssid=41"),
    ]
    for (points, ssid, passphrase, isHidden, added) in cases {
      let double = try double(Self.joining, points: points)
      _ = try await double.joiner().join(credentials(Hexadecimal.decode(ssid), passphrase, isHidden: isHidden))
      #expect(try double.log().filter { $0.hasPrefix("add") } == [added])
    }
  }

  @Test("Without WPA3 in wpa_supplicant a network of WPA2 and WPA3 is joined by WPA2, and one of WPA3 alone is not")
  func noSAE() async throws {
    let double = try double(
      Self.joining, points: #"{"ssid":"486f6d65","rsn":["wpa-psk","sae"]}"#, #","sae":false"#)
    _ = try await double.joiner().join(credentials())
    #expect(try double.log().first == Self.added)
    let only = try self.double(Self.joining, points: #"{"ssid":"486f6d65","rsn":["sae"]}"#, #","sae":false"#)
    await #expect(throws: JoinFailure.other) { try await only.joiner().join(credentials()) }
    #expect(try only.log() == ["profiles 0"])
  }

  @Test("A hidden network is asked for by its name before its settings are made")
  func hidden() async throws {
    let double = try double(Self.joining, points: "", #","found":{"ssid":"486f6d65","rsn":["sae"]}"#)
    _ = try await double.joiner().join(credentials(isHidden: true))
    #expect(
      try double.log().prefix(2) == [
        "scan 486f6d65 any",
        "add id_str=latchkey-provisioned ieee80211w=2 key_mgmt=SAE priority=1 sae_password=secret123 scan_ssid=1 ssid=486f6d65",
      ])
  }

  @Test("Impossible passphrases and networks with accounts are refused before anything is added")
  func impossible() async throws {
    let double = try double(Self.joining)
    for passphrase in ["", "short", String(repeating: "x", count: 64), "zero\u{0}byte", "ümlautpass"] {
      await #expect(throws: JoinFailure.wrongPassphrase) {
        try await double.joiner().join(credentials(Self.home, passphrase))
      }
    }
    let enterprise = try self.double(Self.joining, points: #"{"ssid":"486f6d65","rsn":["wpa-eap"]}"#)
    await #expect(throws: JoinFailure.other) { try await enterprise.joiner().join(credentials()) }
    #expect(try double.log() + enterprise.log() == ["profiles 0", "profiles 0"])
  }

  @Test("A network that is joined again is one network, and forgetting removes it and no other")
  func again() async throws {
    let double = try SupplicantDouble(
      #"{"accessPoints":[\#(Self.point)],"attempts":[[\#(Self.joining)],[\#(Self.joining)]],"networks":[{"ssid":"4f6c64"},{"ssid":"486f6d65","mark":"theirs"}]}"#
    )
    _ = try await double.joiner().join(credentials())
    _ = try await double.joiner().join(credentials())
    #expect(try double.log().last == "profiles 3 4f6c64+ 486f6d65+ 486f6d65+*")
    try await double.joiner().forget()
    #expect(try double.log() == ["remove 486f6d65", "save", "profiles 2 4f6c64+ 486f6d65+"])
  }

  @Test("A scan lists what it found, each name once with its strongest access point, and tells the kinds apart")
  func scan() async throws {
    let long = String(repeating: "ff", count: 33)
    let points = [
      Self.point, #"{"ssid":"486f6d65","signal":-40}"#, #"{"ssid":"","signal":-10}"#,
      #"{"ssid":"\#(long)","signal":-10}"#, #"{"ssid":"49","signal":-10,"mode":"ad-hoc"}"#,
      #"{"ssid":"41","signal":-90,"rsn":[],"privacy":false}"#, #"{"ssid":"42","signal":-80,"rsn":["sae"]}"#,
      #"{"ssid":"43","signal":-70,"rsn":["wpa-psk","sae"]}"#, #"{"ssid":"44","signal":-60,"rsn":["wpa-eap-sha256"]}"#,
      #"{"ssid":"45","signal":-50,"wpa":["wpa-psk"]}"#, #"{"ssid":"46","signal":-49,"rsn":[]}"#,
      #"{"ssid":"47","signal":99,"wpa":["wpa-psk"],"rsn":[]}"#,
    ].joined(separator: ",")
    let double = try double("", points: points, #","found":{"ssid":"\#(long.dropLast(2))","signal":-1}"#)
    let networks = try await double.joiner().scan()
    #expect(networks.map(\.rssi) == [0, -1, -40, -49, -50, -60, -70, -80, -90])
    #expect(
      networks.map(\.security) == [
        .wpa, .wpa2, .wpa2, .wep, .wpaWPA2, .wpa2Enterprise, .wpa2WPA3, .wpa3, .open,
      ])
    #expect(networks[1].ssid == Array(repeating: 0xFF, count: 32))
    #expect(networks[1].channel == 1)
  }

  @Test("A scan while another one is under way waits for that one, and one that is not permitted is refused")
  func refusedScan() async throws {
    let double = try double("", #","scan":"org.freedesktop.DBus.Error.AccessDenied""#)
    await #expect(throws: JoinFailure.notPermitted) { try await double.joiner().scan() }
  }

  @Test("Ten thousand access points are cut, and replies of other types are no networks")
  func hostile() async throws {
    let many = try SupplicantDouble(#"{"hostile":"many"}"#)
    #expect(try await many.joiner().scan().count == 512)
    let types = try double(Self.joining, #","hostile":"types""#)
    #expect(try await types.joiner().scan().isEmpty)
    let answer = try double(Self.joining, #","hostile":"answer""#)
    await #expect(throws: JoinFailure.other) { try await answer.joiner().join(credentials()) }
    #expect(try answer.log().last == "profiles 0")
  }

  @Test("Changes of other types, floods and signals of others end no attempt")
  func noise() async throws {
    let noise =
      #"["types"],["foreign",{"State":"interface_disabled"}],["foreign",{"State":"completed"}],["flood",900],["change",{"State":"unheard of"}]"#
    let double = try double(noise + "," + Self.joining)
    _ = try await double.joiner().join(credentials())
    #expect(try double.log().last == "profiles 1 486f6d65+*")
  }

  @Test("Without a bus, a service or a radio the radio is unavailable")
  func unavailable() async throws {
    let nobody = SupplicantJoiner(
      interface: nil, address: "unix:path=/nonexistent/bus", link: TestLink().link, limits: JoinLimits())
    await #expect(throws: JoinFailure.radioUnavailable) { try await nobody.scan() }
    for double in [
      try SupplicantDouble(nil), try SupplicantDouble(#"{"interfaces":[]}"#),
      try SupplicantDouble(#"{"interfaces":["p2p-dev-wlan0"]}"#),
    ] {
      await #expect(throws: JoinFailure.radioUnavailable) { try await double.joiner().scan() }
      await #expect(throws: JoinFailure.radioUnavailable) { try await double.joiner().join(credentials()) }
    }
    let double = try double("")
    await #expect(throws: JoinFailure.radioUnavailable) { try await double.joiner(interface: "wlan7").scan() }
  }

  @Test("wpa_supplicant that ends, or a bus that ends, ends the attempt")
  func gone() async throws {
    let double = try double(#"["exit"]"#)
    await #expect(throws: JoinFailure.radioUnavailable) { try await double.joiner().join(credentials()) }
    let other = try self.double("")
    let (joiner, network) = (other.joiner(), try credentials())
    let attempt = Task { try await joiner.join(network) }
    #expect(await other.line() == Self.added)
    other.endBus()
    await #expect(throws: JoinFailure.radioUnavailable) { try await attempt.value }
  }

  @Test("Missing permissions, to add or to select a network, are told and leave nothing behind")
  func permissions() async throws {
    for call in ["add", "select"] {
      let double = try double(Self.joining, #","\#(call)":"org.freedesktop.DBus.Error.AccessDenied""#)
      await #expect(throws: JoinFailure.notPermitted) { try await double.joiner().join(credentials()) }
      #expect(try double.log().last == "profiles 0")
    }
  }

  @Test("A canceled attempt leaves nothing behind")
  func canceled() async throws {
    let double = try double("", Self.others)
    let (joiner, credentials) = (double.joiner(), try credentials())
    let attempt = Task { try await joiner.join(credentials) }
    #expect(await double.line() == Self.added)
    attempt.cancel()
    await #expect(throws: JoinFailure.other) { try await attempt.value }
    #expect(try double.log().last == "profiles 3 4f6c64+* 4f6666- 416c74+")
  }
}
