import LatchkeyByteCoding
import LatchkeyNetworkJoining
import LatchkeyProvisioningProtocol
import LatchkeyTestSupport
import Testing

/// The numbers are those of the list of cases that devices get wrong.
@Suite("Joining networks by NetworkManager", .needsDouble)
struct NetworkManagerJoinerTests {
  private static let home = Array("Home".utf8)
  private static let point = #"{"ssid":"486f6d65","strength":80,"frequency":5180,"rsn":256}"#
  private static let opening = #"["device",40,0],["device",50,0]"#
  private static let joining =
    #"["device",30,38],["device",60,8],["device",40,0],["device",50,0],["device",70,0],["device",100,0],["active",2,1]"#
  private static let added = "add 486f6d65 wpa-psk secret123 volatile ap Point1"
  private static let abandoned = ["deactivate 1", "delete 1", "profiles 0"]

  private func credentials(
    _ ssid: [UInt8] = home, _ passphrase: String = "secret123", isHidden: Bool = false
  ) throws -> NetworkCredentials {
    try NetworkCredentials(ssid: ssid, passphrase: Array(passphrase.utf8), isHidden: isHidden)
  }

  private func double(
    _ steps: String, points: String = point, _ more: String = ""
  ) throws -> NetworkManagerDouble {
    try NetworkManagerDouble(#"{"accessPoints":[\#(points)],"attempts":[[\#(steps)]]\#(more)}"#)
  }

  @Test("56: a right passphrase joins, goes to disk once the device has an address, and tells what it joined")
  func right() async throws {
    let double = try double(Self.opening + "," + Self.joining)
    let network = try await double.joiner.join(credentials())
    #expect(network.ssid == Self.home)
    #expect(network.address == "192.168.7.5")
    #expect(network.security == .wpa2)
    #expect(network.channel == 36)
    #expect(network.bssid == [2, 0, 0, 0, 0, 1])
    #expect(network.reach == .internet)
    #expect(try double.log() == [Self.added, "update 1 flags 1", "profiles 1"])
    #expect(try await double.joiner.current()?.ssid == Self.home)
  }

  @Test(
    "56: states and reasons tell failures apart, and each leaves nothing behind",
    arguments: [
      (#"["device",50,0],["device",60,8]"#, .wrongPassphrase), (#"["device",120,7],["active",4,9]"#, .wrongPassphrase),
      (#"["device",120,53]"#, .networkNotFound), (#"["device",70,0],["device",120,5]"#, .noAddress),
      (#"["active",4,5]"#, .noAddress), (#"["active",4,9],["device",120,7]"#, .wrongPassphrase),
      (#"["active",4,1],["device",120,53]"#, .networkNotFound), (#"["device",120,11]"#, .timedOut),
      (#"["device",120,9]"#, .other), (#"["device",120,10]"#, .other), (#"["device",120,4711]"#, .other),
      (#"["active",4,4711]"#, .other), (#"["device",20,0]"#, .radioUnavailable),
      (#"["device",10,0]"#, .radioUnavailable),
    ] as [(String, JoinFailure)])
  func failures(_ steps: String, _ failure: JoinFailure) async throws {
    let double = try double(Self.opening + "," + steps)
    await #expect(throws: failure) { try await double.joiner.join(credentials()) }
    #expect(try double.log() == [Self.added] + Self.abandoned)
  }

  @Test(
    "A network that NetworkManager says is missing, and that scans still find, has refused: with SAE the passphrase is wrong",
    arguments: [
      ("1024", 130, .wrongPassphrase), ("1280", 130, .wrongPassphrase), ("256", 130, .timedOut),
      ("1024", 103, .wrongPassphrase), ("256", 103, .timedOut),
      ("1024", 100, .networkNotFound), ("256", 100, .networkNotFound), ("1024", 0, .networkNotFound),
    ] as [(String, Int, JoinFailure)])
  func refused(_ rsn: String, _ seen: Int, _ failure: JoinFailure) async throws {
    let double = try double(
      Self.opening + #",["seen",\#(seen)],["device",120,53]"#, points: #"{"ssid":"486f6d65","rsn":\#(rsn)}"#)
    await #expect(throws: failure) { try await double.joiner.join(credentials()) }
    #expect(try double.log().suffix(3) == Self.abandoned[...])
  }

  @Test(
    "An access point that was heard before the attempt, and is reported during it, has gone all the same",
    arguments: [99, 101, 102])
  func heardBefore(_ seen: Int) async throws {
    let double = try double(
      Self.opening + #",["seen",\#(seen)],["device",120,53]"#, points: Self.point + #",{"ssid":"41","seen":98}"#)
    await #expect(throws: JoinFailure.networkNotFound) { try await double.joiner.join(credentials()) }
    #expect(try double.log().suffix(3) == Self.abandoned[...])
  }

  @Test(
    "56: a network with a portal, or without the Internet, is joined",
    arguments: [(2, .portal), (3, .noInternet), (1, .noInternet), (0, .unknown), (77, .unknown), (4, .internet)]
      as [(Int, NetworkReach)])
  func reach(_ connectivity: Int, _ reach: NetworkReach) async throws {
    let double = try double(Self.joining, #","connectivity":\#(connectivity)"#)
    #expect(try await double.joiner.join(credentials()).reach == reach)
  }

  @Test("Unknown states, states of the network before, floods and signals of others end no attempt")
  func noise() async throws {
    let noise =
      #"["device",110,60],["device",30,60],["device",33,99],["active",9,9],["stranger",120,53],["stranger",100,0],["flood",900]"#
    let double = try double(noise + "," + Self.joining)
    _ = try await double.joiner.join(credentials())
    #expect(try double.log().last == "profiles 1")
  }

  @Test("57: without a bus, without NetworkManager and without a radio the radio is unavailable")
  func unavailable() async throws {
    let nobody = NetworkManagerJoiner(interface: nil, address: "unix:path=/nonexistent/bus")
    await #expect(throws: JoinFailure.radioUnavailable) { try await nobody.scan() }
    await #expect(throws: JoinFailure.radioUnavailable) { try await nobody.join(credentials()) }
    let bare = try NetworkManagerDouble(nil)
    await #expect(throws: JoinFailure.radioUnavailable) { try await bare.joiner.scan() }
    for state in [0, 10, 20] {
      let double = try NetworkManagerDouble(#"{"state":\#(state)}"#)
      await #expect(throws: JoinFailure.radioUnavailable) { try await double.joiner.scan() }
      await #expect(throws: JoinFailure.radioUnavailable) { try await double.joiner.join(credentials()) }
      #expect(try double.log() == ["profiles 0"])
    }
    let double = try double("")
    let other = NetworkManagerJoiner(interface: "wlan7", address: double.address)
    await #expect(throws: JoinFailure.radioUnavailable) { try await other.scan() }
  }

  @Test("57: NetworkManager that ends, or a bus that ends, ends the attempt")
  func gone() async throws {
    let double = try double(Self.opening + #",["exit"]"#)
    await #expect(throws: JoinFailure.radioUnavailable) { try await double.joiner.join(credentials()) }
    let other = try self.double(Self.opening)
    let (joiner, network) = (other.joiner, try credentials())
    let attempt = Task { try await joiner.join(network) }
    #expect(await other.line() == Self.added)
    other.endBus()
    await #expect(throws: JoinFailure.radioUnavailable) { try await attempt.value }
  }

  @Test("57: a scan that is not allowed now gives what is known, and one that is not permitted is refused")
  func refusedScan() async throws {
    let double = try double("", #","scan":"org.freedesktop.NetworkManager.Device.NotAllowed""#)
    #expect(try await double.joiner.scan().map(\.name) == ["Home"])
    let denied = try self.double("", #","scan":"org.freedesktop.NetworkManager.Device.PermissionDenied""#)
    await #expect(throws: JoinFailure.notPermitted) { try await denied.joiner.scan() }
  }

  @Test("A scan lists what it found, each name once with its strongest access point, and tells the kinds apart")
  func scan() async throws {
    let binary = String(repeating: "ff", count: 32)
    let points = [
      Self.point, #"{"ssid":"486f6d65","strength":90,"rsn":256}"#, #"{"ssid":"","strength":99}"#,
      #"{"ssid":"41","strength":10,"flags":0,"rsn":0}"#, #"{"ssid":"42","strength":20,"rsn":1024}"#,
      #"{"ssid":"43","strength":30,"rsn":1280}"#, #"{"ssid":"44","strength":40,"rsn":512}"#,
      #"{"ssid":"45","strength":50,"wpa":256,"rsn":256}"#, #"{"ssid":"46","strength":60,"rsn":0}"#,
      #"{"ssid":"47","strength":70,"flags":0,"rsn":2048}"#, #"{"ssid":"\#(binary)ff","strength":71}"#,
    ].joined(separator: ",")
    let double = try double("", points: points, #","found":{"ssid":"\#(binary)","strength":100,"frequency":2484}"#)
    let networks = try await double.joiner.scan()
    #expect(networks.first?.ssid == Array(repeating: 0xFF, count: 32))
    #expect(networks.first?.channel == 14)
    #expect(networks.first?.rssi == -40)
    #expect(networks.dropFirst().map(\.name) == ["Home", "G", "F", "E", "D", "C", "B", "A"])
    #expect(
      networks.dropFirst().map(\.security) == [.wpa2, .owe, .wep, .wpaWPA2, .wpa2Enterprise, .wpa2WPA3, .wpa3, .open])
    #expect(networks[1].rssi == -46)
  }

  @Test("Open, WPA3, transitional, binary and hidden networks get the settings that they need")
  func kinds() async throws {
    let cases: [(String, String, String, Bool, String)] = [
      (#"{"ssid":"41","flags":0,"rsn":0}"#, "41", "", false, "add 41 open - volatile ap Point1"),
      (#"{"ssid":"41","rsn":1024}"#, "41", "abc", false, "add 41 sae abc volatile ap Point1"),
      (#"{"ssid":"41","rsn":1280}"#, "41", "secret123", false, "add 41 wpa-psk secret123 volatile ap Point1"),
      (
        #"{"ssid":"fffe00","rsn":256}"#, "fffe00", "secret123", false, "add fffe00 wpa-psk secret123 volatile ap Point1"
      ),
      (#"{"ssid":"41","flags":0,"rsn":2048}"#, "41", "", false, "add 41 owe - volatile ap Point1"),
      (#"{"ssid":"42"}"#, "41", "secret123", true, "add 41 wpa-psk secret123 volatile ap none hidden"),
      (#"{"ssid":"42"}"#, "41", "", false, "add 41 open - volatile ap none"),
    ]
    for (points, ssid, passphrase, isHidden, added) in cases {
      let double = try double(Self.joining, points: points)
      _ = try await double.joiner.join(
        credentials(Hexadecimal.decode(ssid), passphrase, isHidden: isHidden))
      #expect(try double.log().filter { $0 != "scan" } == [added, "update 1 flags 1", "profiles 1"])
    }
  }

  @Test("Passphrases that the network cannot have are wrong before anything is sent")
  func impossiblePassphrases() async throws {
    let double = try double(Self.joining)
    for passphrase in ["", "short", String(repeating: "x", count: 64), "zero\u{0}byte", "ümlautpass"] {
      await #expect(throws: JoinFailure.wrongPassphrase) {
        try await double.joiner.join(credentials(Self.home, passphrase))
      }
    }
    let enterprise = try self.double(Self.joining, points: #"{"ssid":"486f6d65","rsn":512}"#)
    await #expect(throws: JoinFailure.other) { try await enterprise.joiner.join(credentials()) }
    #expect(try double.log() + enterprise.log() == ["profiles 0", "profiles 0"])
  }

  @Test("Missing permissions, to add or to keep a network, are told and leave nothing behind")
  func permissions() async throws {
    let add = try double(Self.joining, #","add":"org.freedesktop.NetworkManager.PermissionDenied""#)
    await #expect(throws: JoinFailure.notPermitted) { try await add.joiner.join(credentials()) }
    #expect(try add.log() == ["profiles 0"])
    let keep = try double(Self.joining, #","update":"org.freedesktop.NetworkManager.Settings.PermissionDenied""#)
    await #expect(throws: JoinFailure.notPermitted) { try await keep.joiner.join(credentials()) }
    #expect(try keep.log() == [Self.added, "update 1 flags 1"] + Self.abandoned)
  }

  @Test("Two attempts at the same time run one after the other")
  func parallel() async throws {
    let steps = Self.opening + "," + Self.joining
    let double = try NetworkManagerDouble(
      #"{"accessPoints":[\#(Self.point)],"attempts":[[\#(steps)],[\#(steps)]]}"#)
    let joiner = double.joiner
    async let one = joiner.join(credentials())
    async let two = joiner.join(credentials())
    #expect(try await [one, two].map(\.address) == ["192.168.7.5", "192.168.7.5"])
    // The second one replaces the first one's profile.
    let log = try double.log().map { $0.replacing("Point1", with: "") }
    #expect(log.filter { $0.hasPrefix("update") } == ["update 1 flags 1", "update 2 flags 1"])
    #expect(log.last == "profiles 1")
    #expect(log.firstIndex(of: "update 1 flags 1") == 1)
  }

  @Test("A canceled attempt leaves nothing behind")
  func canceled() async throws {
    let double = try double(Self.opening)
    let joiner = double.joiner
    let credentials = try credentials()
    let attempt = Task { try await joiner.join(credentials) }
    #expect(await double.line() == Self.added)
    attempt.cancel()
    await #expect(throws: JoinFailure.other) { try await attempt.value }
    #expect(try double.log() == Self.abandoned)
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await joiner.join(credentials)
    }
    await #expect(throws: JoinFailure.other) { try await late.value }
  }

  @Test("Forgetting removes the profiles that were made here, and no others")
  func forget() async throws {
    let double = try double(Self.joining)
    _ = try await double.joiner.join(credentials())
    _ = try double.log()
    try await double.joiner.forget()
    #expect(try double.log() == ["delete 1", "profiles 0"])
    try await double.joiner.forget()
    #expect(try double.log() == ["profiles 0"])
  }

  @Test("58: nothing of the settings prints a passphrase")
  func unprinted() throws {
    let secret = SecretBytesText.text(of: try credentials())
    #expect(!secret.contains("secret123"))
  }
}
