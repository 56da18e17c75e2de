import LatchkeyProvisioningProtocol

/// An access point as a service of the system describes it.
struct AccessPoint: Hashable {
  /// The object of the service.
  let path: String
  let ssid: [UInt8]
  /// In dBm, -127 to 0.
  let rssi: Int
  let channel: Int?
  let bssid: [UInt8]?
  let security: NetworkSecurity
  /// When a scan last found it, in seconds since the system's start; -1: no scan has, or the service does not say.
  let lastSeen: Int

  /// - Returns: nil if it does not announce its name, or announces what is none.
  init?(
    path: String, ssid: [UInt8], rssi: Int, channel: Int?, bssid: [UInt8]?, security: NetworkSecurity,
    lastSeen: Int = -1
  ) {
    guard (1...NetworkCredentials.greatestNameLength).contains(ssid.count) else { return nil }
    self.path = path
    self.ssid = ssid
    self.rssi = min(max(rssi, -127), 0)
    self.channel = channel
    self.bssid = bssid?.count == 6 ? bssid : nil
    self.security = security
    self.lastSeen = lastSeen
  }

  /// The networks of access points, strongest first, each name once.
  static func networks(_ accessPoints: [AccessPoint]) -> [ScannedNetwork] {
    var names: Set<[UInt8]> = []
    return accessPoints.sorted { $0.rssi > $1.rssi }.filter { names.insert($0.ssid).inserted }.map {
      ScannedNetwork(ssid: $0.ssid, rssi: $0.rssi, security: $0.security, channel: $0.channel, bssid: $0.bssid)
    }
  }

  /// The strongest access point of the network that is wanted; nil if it is none of these.
  static func best(of accessPoints: [AccessPoint], for credentials: NetworkCredentials) -> AccessPoint? {
    accessPoints.filter { $0.ssid == credentials.ssid && (credentials.bssid == nil || $0.bssid == credentials.bssid) }
      .max { $0.rssi < $1.rssi }
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

  /// The bytes of an address such as `02:00:00:00:00:01`; nil if it is none.
  static func address(_ text: String) -> [UInt8]? {
    let bytes = text.split(separator: ":").compactMap { UInt8($0, radix: 16) }
    return bytes.count == 6 ? bytes : nil
  }

  /// How an access point protects itself that announces these ways to get a key; WPA's and RSN's (IEEE 802.11 9.4.2.24).
  static func security(
    hasPrivacy: Bool, wpaPSK: Bool, rsnPSK: Bool, sae: Bool, enterprise: Bool, owe: Bool
  ) -> NetworkSecurity {
    if sae { return wpaPSK || rsnPSK ? .wpa2WPA3 : .wpa3 }
    if rsnPSK { return wpaPSK ? .wpaWPA2 : .wpa2 }
    if wpaPSK { return .wpa }
    if enterprise { return .wpa2Enterprise }
    if owe { return .owe }
    return hasPrivacy ? .wep : .open
  }
}
