import LatchkeyDBus
import LatchkeyProvisioningProtocol

/// The objects of iwd (net.connman.iwd), as its object manager lists them.
struct IwdObjects {
  struct Station: Hashable {
    let path: String
    /// The system's name of its interface, such as wlan0.
    let interface: String
    let connected: String?
  }

  struct Network: Hashable {
    let path: String
    let station: String
    let ssid: [UInt8]
    /// open, wep, psk, 8021x or hotspot.
    let type: String
    /// The known network that this is; nil if it was never joined.
    let known: String?

    /// What iwd says of it; of WPA2 and WPA3 it does not say which.
    var security: NetworkSecurity {
      switch type {
      case "open": .open
      case "wep": .wep
      case "psk": .wpa2WPA3
      default: .wpa2Enterprise
      }
    }
  }

  private(set) var stations: [Station] = []
  private(set) var networks: [String: Network] = [:]

  private static let greatestStationCount = 64
  private static let greatestNetworkCount = 16_384

  /// - Parameter reply: the answer to GetManagedObjects, `a{oa{sa{sv}}}`. What is none of it is skipped.
  init(_ reply: BusValue?) {
    guard case .entries(_, let objects)? = reply?.bare else { return }
    for (key, interfaces) in objects {
      guard let path = key.text else { continue }
      if interfaces[IwdSession.Name.station] != nil, let name = interfaces[IwdSession.Name.device]?["Name"]?.text,
        stations.count < Self.greatestStationCount
      {
        let connected = interfaces[IwdSession.Name.station]?["ConnectedNetwork"]?.text
        stations.append(Station(path: path, interface: name, connected: connected))
      }
      if let network = Self.network(path, interfaces[IwdSession.Name.network]),
        networks.count < Self.greatestNetworkCount
      {
        networks[path] = network
      }
    }
    stations.sort { $0.path < $1.path }
  }

  /// A network from its properties; nil if its name cannot be one.
  static func network(_ path: String, _ properties: BusValue?) -> Network? {
    guard let name = properties?["Name"]?.text, let type = properties?["Type"]?.text,
      let station = properties?["Device"]?.text, (1...NetworkCredentials.greatestNameLength).contains(name.utf8.count)
    else { return nil }
    return Network(
      path: path, station: station, ssid: Array(name.utf8), type: type, known: properties?["KnownNetwork"]?.text)
  }

  /// Finds the network by name in the reach of a station. If two networks have the name, a passphrase selects the secured one.
  func network(_ ssid: [UInt8], of station: String, hasPassphrase: Bool) -> Network? {
    let named = networks.values.filter { $0.station == station && $0.ssid == ssid }.sorted { $0.path < $1.path }
    let fitting = hasPassphrase ? ["psk", "wep"] : ["open"]
    return named.first { fitting.contains($0.type) } ?? named.first
  }

  /// The path that iwd gives the network with a passphrase of a name: the name's bytes in hexadecimal digits, and the type.
  static func path(of ssid: [UInt8], station: String) -> String {
    let digits = ssid.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    return "\(station)/\(digits)_psk"
  }
}
