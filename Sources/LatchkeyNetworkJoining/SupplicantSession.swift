import LatchkeyDBus
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// A connection to wpa_supplicant, for one thread and one request.
final class SupplicantSession: NetworkService {
  /// An interface that wpa_supplicant manages.
  struct Interface {
    let path: String
    /// The system's name, such as wlan0.
    let name: String
  }

  init(address: String, wakeUp: WakeUp) throws(JoinFailure) {
    try super.init(Name.service, address: address, wakeUp: wakeUp)
  }

  /// The interface of this name; nil: the first.
  func interface(_ name: String?) throws(JoinFailure) -> Interface {
    let paths = try property(of: Name.root, Name.service, "Interfaces").items ?? []
    for path in paths.prefix(Self.greatestInterfaceCount).compactMap(\.text) {
      guard let found = (try? property(of: path, Name.interface, "Ifname"))?.text else { continue }
      // A radio with Wi-Fi Direct has an interface for that alone.
      if name.map({ $0 == found }) ?? !found.hasPrefix("p2p-") { return Interface(path: path, name: found) }
    }
    throw .radioUnavailable
  }

  /// Has the radio look for access points, waits for what it finds, and returns all that it knows.
  ///
  /// - Parameter hidden: the name of a network that does not announce it.
  func scan(on interface: Interface, hidden: [UInt8]? = nil) throws(JoinFailure) -> [AccessPoint] {
    try subscribe("path='\(interface.path)',interface='\(Name.interface)',member='ScanDone'")
    var options: [String: BusValue] = ["Type": .string("active")]
    // An empty name asks for all.
    if let hidden { options["SSIDs"] = .array(of: "ay", [.bytes(hidden), .bytes([])]) }
    do throws(BusFault) {
      _ = try ask(interface.path, Name.interface, "Scan", [.options(options)])
    } catch {
      // A scan is under way: its end will do.
      guard case .refused(let name, _) = error, name.hasSuffix(".ScanError") else { throw Self.failure(error) }
    }
    let deadline = ContinuousClock.now + Self.scanLimit
    while ContinuousClock.now < deadline {
      guard let message = try signal(until: deadline) else { continue }
      if message.path == interface.path, message.isSignal(Name.interface, "ScanDone") { break }
    }
    return try accessPoints(of: interface)
  }

  func accessPoints(of interface: Interface) throws(JoinFailure) -> [AccessPoint] {
    let paths = try property(of: interface.path, Name.interface, "BSSs").items ?? []
    var found: [AccessPoint] = []
    for path in paths.prefix(Self.greatestAccessPointCount).compactMap(\.text) {
      // One that has just gone has no properties.
      guard let accessPoint = accessPoint(path) else { continue }
      found.append(accessPoint)
    }
    return found
  }

  func accessPoint(_ path: String) -> AccessPoint? {
    guard let properties = try? properties(of: path, Name.accessPoint) else { return nil }
    return AccessPoint(supplicant: path, properties)
  }

  /// The network that an interface is in; nil if it is in none.
  func current(on interface: Interface, _ link: NetworkLink) -> JoinedNetwork? {
    guard let properties = try? properties(of: interface.path, Name.interface),
      properties["State"]?.text == "completed", let path = properties["CurrentBSS"]?.text, path != "/",
      let accessPoint = accessPoint(path)
    else { return nil }
    let state = link.state(interface.name)
    return JoinedNetwork(
      ssid: accessPoint.ssid, address: state.addresses.first, security: accessPoint.security, bssid: accessPoint.bssid,
      channel: accessPoint.channel)
  }

  /// The paths of the networks that wpa_supplicant knows.
  func networks(of interface: Interface) throws(JoinFailure) -> [String] {
    let paths = try property(of: interface.path, Name.interface, "Networks").items ?? []
    return paths.prefix(Self.greatestNetworkCount).compactMap(\.text)
  }

  private static let scanLimit = Duration.seconds(12)
  private static let greatestInterfaceCount = 64
  private static let greatestAccessPointCount = 512
  private static let greatestNetworkCount = 1024

  /// The interfaces, and what has a fixed path.
  enum Name {
    static let service = "fi.w1.wpa_supplicant1"
    static let root = "/fi/w1/wpa_supplicant1"
    static let interface = "fi.w1.wpa_supplicant1.Interface"
    static let network = "fi.w1.wpa_supplicant1.Network"
    static let accessPoint = "fi.w1.wpa_supplicant1.BSS"
  }
}
