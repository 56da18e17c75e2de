import LatchkeyDBus
import LatchkeyProvisioningProtocol

/// An access point as NetworkManager describes it (org.freedesktop.NetworkManager.AccessPoint).
struct NetworkManagerAccessPoint: Hashable {
  let path: String
  let ssid: [UInt8]
  /// 0 to 100.
  let strength: Int
  let channel: Int?
  let bssid: [UInt8]?
  let security: NetworkSecurity
  /// When a scan last found it, in seconds since the system's start; -1: no scan has.
  let lastSeen: Int

  /// - Returns: nil if it does not announce its name, or announces what is none.
  init?(path: String, _ properties: BusValue) {
    guard let ssid = properties["Ssid"]?.octets, (1...NetworkCredentials.greatestNameLength).contains(ssid.count) else {
      return nil
    }
    self.path = path
    self.ssid = ssid
    strength = min(max(properties["Strength"]?.number ?? 0, 0), 100)
    channel = Self.channel(properties["Frequency"]?.number ?? 0)
    bssid = Self.address(properties["HwAddress"]?.text ?? "")
    security = Self.security(
      flags: properties["Flags"]?.number ?? 0, wpa: properties["WpaFlags"]?.number ?? 0,
      rsn: properties["RsnFlags"]?.number ?? 0)
    lastSeen = properties["LastSeen"]?.number ?? -1
  }

  /// In dBm: NetworkManager maps -100 to -40 dBm to 0 to 100.
  var rssi: Int { -100 + strength * 60 / 100 }

  /// The networks of access points, strongest first, each name once.
  static func networks(_ accessPoints: [NetworkManagerAccessPoint]) -> [ScannedNetwork] {
    var names: Set<[UInt8]> = []
    return accessPoints.sorted { $0.strength > $1.strength }.filter { names.insert($0.ssid).inserted }.map {
      ScannedNetwork(ssid: $0.ssid, rssi: $0.rssi, security: $0.security, channel: $0.channel, bssid: $0.bssid)
    }
  }

  /// NM80211ApFlags and NM80211ApSecurityFlags.
  static func security(flags: Int, wpa: Int, rsn: Int) -> NetworkSecurity {
    let (psk, enterprise, sae, owe) = (0x100, 0x200 | 0x2000, 0x400, 0x800)
    if rsn & sae != 0 { return (wpa | rsn) & psk != 0 ? .wpa2WPA3 : .wpa3 }
    if rsn & psk != 0 { return wpa & psk != 0 ? .wpaWPA2 : .wpa2 }
    if wpa & psk != 0 { return .wpa }
    if (wpa | rsn) & enterprise != 0 { return .wpa2Enterprise }
    if rsn & owe != 0 { return .owe }
    // Privacy.
    return flags & 1 != 0 ? .wep : .open
  }

  /// The channel of a frequency in MHz (IEEE 802.11 Annex E); nil for another one.
  static func channel(_ frequency: Int) -> Int? {
    switch frequency {
    case 2412...2472: (frequency - 2407) / 5
    case 2484: 14
    case 5005...5895: (frequency - 5000) / 5
    case 5955...7115: (frequency - 5950) / 5
    default: nil
    }
  }

  private static func address(_ text: String) -> [UInt8]? {
    let bytes = text.split(separator: ":").compactMap { UInt8($0, radix: 16) }
    return bytes.count == 6 ? bytes : nil
  }
}
