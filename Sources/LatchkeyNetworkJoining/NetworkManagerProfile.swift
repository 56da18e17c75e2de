import LatchkeyByteCoding
import LatchkeyDBus
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// The profile that is added for a network.
struct NetworkManagerProfile {
  /// Marks the profiles that were made here, in their setting `user`.
  static let mark = "org.latchkey.provisioned"

  /// How long NetworkManager waits for an address, in seconds. Its own 45 s after 25 s to be let in would be longer than
  /// `NetworkManagerJoiner.limit`, and an attempt without an address merely too slow.
  static let addressLimit: Int32 = 30

  let uuid: String
  /// `a{sa{sv}}`. The passphrase in it is wiped with its last copy.
  let settings: BusValue

  /// - Throws: `.wrongPassphrase` if the network cannot have this one, `.other` if it needs more than one.
  init(_ credentials: NetworkCredentials, accessPoint: AccessPoint?) throws(JoinFailure) {
    var generator = SystemRandomNumberGenerator()
    uuid = Self.uuid(&generator)
    var wireless: [String: BusValue] = ["ssid": .bytes(credentials.ssid), "mode": .string("infrastructure")]
    if credentials.isHidden { wireless["hidden"] = .boolean(true) }
    if let bssid = credentials.bssid { wireless["bssid"] = .bytes(bssid) }
    var settings: [String: BusValue] = [
      "connection": .options([
        // A name for people, who see it in settings; what is no text becomes replacement characters.
        "id": .string(PrintableText.oneLine(credentials.ssid)), "type": .string("802-11-wireless"),
        "uuid": .string(uuid),
      ]),
      "802-11-wireless": .options(wireless),
      "ipv4": .options(["method": .string("auto"), "dhcp-timeout": .int32(Self.addressLimit)]),
      "user": .options(["data": .dictionary(of: "s", [Self.mark: .string("1")])]),
    ]
    if let security = Self.security(try NetworkKey(credentials, accessPoint?.security)) {
      settings["802-11-wireless-security"] = .options(security)
    }
    self.settings = .dictionary(of: "a{sv}", settings)
  }

  private static func security(_ key: NetworkKey) -> [String: BusValue]? {
    switch key {
    case .open: nil
    case .owe: ["key-mgmt": .string("owe")]
    case .wep(let key): ["key-mgmt": .string("none"), "wep-key0": .secret(key)]
    case .sae(let password): ["key-mgmt": .string("sae"), "psk": .secret(password)]
    // NetworkManager adds SAE itself where the radio has it.
    case .preSharedKey(let passphrase), .preSharedKeyOrSAE(let passphrase):
      ["key-mgmt": .string("wpa-psk"), "psk": .secret(passphrase)]
    }
  }

  /// A random UUID (RFC 9562 5.4).
  private static func uuid(_ generator: inout some RandomNumberGenerator) -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Hexadecimal.encode(bytes)
    var (text, rest) = ("", digits[...])
    for length in [8, 4, 4, 4] {
      text += rest.prefix(length) + "-"
      rest = rest.dropFirst(length)
    }
    return text + rest
  }
}
