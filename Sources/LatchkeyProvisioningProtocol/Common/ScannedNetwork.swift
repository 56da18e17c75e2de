/// A wireless network that a device has found.
public struct ScannedNetwork: Hashable, Sendable {
  /// The network's name: 0 to 32 bytes, in no particular encoding (IEEE 802.11 9.4.2.2).
  public var ssid: [UInt8]
  /// The strength of the signal in dBm, -127 to 0.
  public var rssi: Int
  /// How the network protects itself.
  public var security: NetworkSecurity
  /// The channel; nil if the protocol does not say.
  public var channel: Int?
  /// The address of the access point, 6 bytes; nil if the protocol does not say.
  public var bssid: [UInt8]?

  /// A network; the lengths are those of the properties.
  public init(
    ssid: [UInt8], rssi: Int, security: NetworkSecurity, channel: Int? = nil, bssid: [UInt8]? = nil
  ) {
    self.ssid = ssid
    self.rssi = rssi
    self.security = security
    self.channel = channel
    self.bssid = bssid
  }

  /// The name as text; bytes that are no UTF-8 become replacement characters.
  public var name: String { String(decoding: ssid, as: UTF8.self) }
}

/// How a wireless network protects itself. Devices report values that are newer than this list: the type is open.
public struct NetworkSecurity: RawRepresentable, Hashable, Sendable {
  /// Espressif's number, which the secure protocol uses too.
  public var rawValue: Int32

  /// The kind of this number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// No password.
  public static let open = NetworkSecurity(rawValue: 0)
  /// WEP, which protects nothing.
  public static let wep = NetworkSecurity(rawValue: 1)
  /// WPA with a password.
  public static let wpa = NetworkSecurity(rawValue: 2)
  /// WPA2 with a password.
  public static let wpa2 = NetworkSecurity(rawValue: 3)
  /// WPA or WPA2 with a password.
  public static let wpaWPA2 = NetworkSecurity(rawValue: 4)
  /// WPA2 with an account.
  public static let wpa2Enterprise = NetworkSecurity(rawValue: 5)
  /// WPA3 with a password (SAE).
  public static let wpa3 = NetworkSecurity(rawValue: 6)
  /// WPA2 or WPA3 with a password.
  public static let wpa2WPA3 = NetworkSecurity(rawValue: 7)
  /// WAPI with a password.
  public static let wapi = NetworkSecurity(rawValue: 8)
  /// Opportunistic Wireless Encryption: no password, and yet not in the clear.
  public static let owe = NetworkSecurity(rawValue: 9)

  /// Whether a password is needed. An unknown kind needs one.
  public var needsPassword: Bool { self != .open && self != .owe }
}

extension NetworkSecurity: CustomStringConvertible {
  /// The kind for people.
  public var description: String {
    switch self {
    case .open: "open"
    case .wep: "WEP"
    case .wpa: "WPA"
    case .wpa2: "WPA2"
    case .wpaWPA2: "WPA/WPA2"
    case .wpa2Enterprise: "WPA2 Enterprise"
    case .wpa3: "WPA3"
    case .wpa2WPA3: "WPA2/WPA3"
    case .wapi: "WAPI"
    case .owe: "OWE"
    default: "security \(rawValue)"
    }
  }
}
