import LatchkeyDBus
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// A connection to iwd, for one thread and one request.
final class IwdSession: NetworkService {
  init(address: String, wakeUp: WakeUp) throws(JoinFailure) {
    try super.init(Name.service, address: address, wakeUp: wakeUp)
  }

  func objects() throws(JoinFailure) -> IwdObjects {
    do throws(BusFault) {
      return IwdObjects(
        try ask("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", atMost: Self.greatestValueCount).first)
    } catch {
      throw Self.failure(error)
    }
  }

  /// The station of this interface; nil: the first.
  func station(_ interface: String?, of objects: IwdObjects) throws(JoinFailure) -> IwdObjects.Station {
    let station = objects.stations.first { station in interface.map { station.interface == $0 } ?? true }
    guard let station else { throw .radioUnavailable }
    return station
  }

  /// Has the station look for networks, and waits until it has.
  func scan(_ station: String) throws(JoinFailure) {
    try subscribe("path='\(station)',interface='\(Self.propertiesInterface)',member='PropertiesChanged'")
    do throws(BusFault) {
      _ = try ask(station, Name.station, "Scan")
    } catch {
      // A scan is under way, or cannot be now: what is known will do.
      guard case .refused(let name, _) = error, name.hasSuffix(".InProgress") || name.hasSuffix(".Busy") else {
        throw Self.failure(error)
      }
    }
    let deadline = ContinuousClock.now + Self.scanLimit
    // The property decides; its signal only shortens the wait.
    while ContinuousClock.now < deadline, try property(of: station, Name.station, "Scanning").flag == true {
      _ = try signal(until: min(deadline, ContinuousClock.now + .milliseconds(500)))
    }
  }

  /// The networks in reach of a station, strongest first.
  func networks(of station: String) throws(JoinFailure) -> [ScannedNetwork] {
    let ordered = try call(station, Name.station, "GetOrderedNetworks").first?.items ?? []
    let objects = try objects()
    var found: [ScannedNetwork] = []
    var names: Set<[UInt8]> = []
    for entry in ordered.prefix(Self.greatestNetworkCount) {
      guard let fields = entry.items, fields.count == 2, let path = fields[0].text,
        case .int16(let strength) = fields[1], let network = objects.networks[path],
        names.insert(network.ssid).inserted
      else { continue }
      // In hundredths of dBm.
      let rssi = min(max(Int(strength) / 100, -127), 0)
      found.append(ScannedNetwork(ssid: network.ssid, rssi: rssi, security: network.security))
    }
    return found.sorted { $0.rssi > $1.rssi }
  }

  /// The network that a station is in; nil if it is in none.
  func current(on station: IwdObjects.Station, _ objects: IwdObjects, _ link: NetworkLink) -> JoinedNetwork? {
    guard let path = station.connected, let network = objects.networks[path] else { return nil }
    return describe(network, on: station, link.state(station.interface).addresses.first)
  }

  /// What is known of a network that a station is in; nothing here can fail the attempt.
  func describe(
    _ network: IwdObjects.Network, on station: IwdObjects.Station, _ address: String?
  ) -> JoinedNetwork {
    var joined = JoinedNetwork(ssid: network.ssid, address: address, security: network.security)
    guard let diagnostics = try? call(station.path, Name.diagnostics, "GetDiagnostics").first else { return joined }
    joined.bssid = AccessPoint.address(diagnostics["ConnectedBss"]?.text ?? "")
    joined.channel = AccessPoint.channel(diagnostics["Frequency"]?.number ?? 0)
    switch diagnostics["Security"]?.text {
    case "WPA2-Personal"?: joined.security = .wpa2
    case "WPA3-Personal"?: joined.security = .wpa3
    case "OWE"?: joined.security = .owe
    default: break
    }
    return joined
  }

  private static let scanLimit = Duration.seconds(12)
  private static let greatestNetworkCount = 512
  /// Some 15 values for each of ten thousand networks.
  private static let greatestValueCount = 262_144

  /// The interfaces, and what has a fixed path.
  enum Name {
    static let service = "net.connman.iwd"
    static let root = "/net/connman/iwd"
    static let agents = "net.connman.iwd.AgentManager"
    static let device = "net.connman.iwd.Device"
    static let station = "net.connman.iwd.Station"
    static let diagnostics = "net.connman.iwd.StationDiagnostic"
    static let network = "net.connman.iwd.Network"
    static let known = "net.connman.iwd.KnownNetwork"
  }
}
