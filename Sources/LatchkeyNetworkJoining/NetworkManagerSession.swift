import LatchkeyDBus
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// A connection to NetworkManager, for one thread and one request.
final class NetworkManagerSession: NetworkService {
  init(address: String, wakeUp: WakeUp) throws(JoinFailure) {
    try super.init(Name.manager, address: address, wakeUp: wakeUp)
  }

  /// The path of the device that joins networks.
  func device(_ interface: String?) throws(JoinFailure) -> String {
    let devices = try call(Name.root, Name.manager, "GetDevices").first?.items ?? []
    for path in devices.prefix(Self.greatestDeviceCount).compactMap(\.text) {
      guard let properties = try? self.properties(of: path, Name.device) else { continue }
      // NM_DEVICE_TYPE_WIFI
      guard properties["DeviceType"]?.number == 2 else { continue }
      if let interface, properties["Interface"]?.text != interface { continue }
      // Unmanaged, or switched off.
      guard let state = properties["State"]?.number, state >= 30 else { continue }
      return path
    }
    throw .radioUnavailable
  }

  /// Has the device look for access points, waits for what it finds, and returns all that it knows.
  func scan(on device: String) throws(JoinFailure) -> [AccessPoint] {
    try subscribe("path='\(device)',interface='\(Self.propertiesInterface)'")
    let before = lastScan(of: device)
    do throws(BusFault) {
      _ = try ask(device, Name.wireless, "RequestScan", [.options([:])])
    } catch {
      // After another scan, or while the device joins a network, there is none: what is known will do.
      guard case .refused(let name, _) = error, name.hasSuffix(".NotAllowed") else { throw Self.failure(error) }
      return try accessPoints(of: device)
    }
    let deadline = ContinuousClock.now + Self.scanLimit
    while let before, ContinuousClock.now < deadline {
      // The time of the last scan decides; its signal only shortens the wait.
      _ = try signal(until: min(deadline, ContinuousClock.now + .milliseconds(500)))
      if let now = lastScan(of: device), now != before { break }
    }
    return try accessPoints(of: device)
  }

  func accessPoints(of device: String) throws(JoinFailure) -> [AccessPoint] {
    let paths = try call(device, Name.wireless, "GetAllAccessPoints").first?.items ?? []
    var found: [AccessPoint] = []
    for path in paths.prefix(Self.greatestAccessPointCount).compactMap(\.text) {
      // One that has just gone has no properties.
      guard let properties = try? properties(of: path, Name.accessPoint) else { continue }
      if let accessPoint = AccessPoint(networkManager: path, properties) { found.append(accessPoint) }
    }
    return found
  }

  private func lastScan(of device: String) -> Int? {
    try? property(of: device, Name.wireless, "LastScan").number
  }

  private static let scanLimit = Duration.seconds(12)
  private static let greatestDeviceCount = 256
  private static let greatestAccessPointCount = 512

  /// The interfaces, and what has a fixed path.
  enum Name {
    static let manager = "org.freedesktop.NetworkManager"
    static let root = "/org/freedesktop/NetworkManager"
    static let settings = "org.freedesktop.NetworkManager.Settings"
    static let settingsRoot = "/org/freedesktop/NetworkManager/Settings"
    static let profile = "org.freedesktop.NetworkManager.Settings.Connection"
    static let active = "org.freedesktop.NetworkManager.Connection.Active"
    static let device = "org.freedesktop.NetworkManager.Device"
    static let wireless = "org.freedesktop.NetworkManager.Device.Wireless"
    static let accessPoint = "org.freedesktop.NetworkManager.AccessPoint"
  }
}
