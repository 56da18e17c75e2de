import LatchkeyDBus
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// A connection to NetworkManager, for one thread and one request.
final class NetworkManagerSession {
  let bus: BusConnection
  /// The connection that owned NetworkManager's name at first: only its signals count, and its end is the end.
  let owner: String
  let wakeUp: WakeUp

  /// How long NetworkManager may take to answer: the default of D-Bus clients.
  static let patience = Duration.seconds(25)

  init(address: String, wakeUp: WakeUp) throws(JoinFailure) {
    do throws(BusFault) {
      bus = try BusConnection(address: address)
      let reply = try bus.call(
        Name.manager, Name.root, Name.properties, "Get", [.string(Name.manager), .string("Version")], wakeUp: wakeUp,
        within: Self.patience)
      guard let owner = reply.sender, owner.hasPrefix(":") else { throw .malformed("no sender") }
      self.owner = owner
      self.wakeUp = wakeUp
      try bus.subscribe(
        to: "type='signal',sender='\(BusConnection.daemon)',member='NameOwnerChanged',arg0='\(Name.manager)'",
        wakeUp: wakeUp, within: Self.patience)
    } catch {
      throw Self.failure(error)
    }
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
  func scan(on device: String) throws(JoinFailure) -> [NetworkManagerAccessPoint] {
    try subscribe("path='\(device)',interface='\(Name.properties)'")
    let before = lastScan(of: device)
    do throws(BusFault) {
      try bus.call(owner, device, Name.wireless, "RequestScan", [.options([:])], wakeUp: wakeUp, within: Self.patience)
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

  func accessPoints(of device: String) throws(JoinFailure) -> [NetworkManagerAccessPoint] {
    let paths = try call(device, Name.wireless, "GetAllAccessPoints").first?.items ?? []
    var found: [NetworkManagerAccessPoint] = []
    for path in paths.prefix(Self.greatestAccessPointCount).compactMap(\.text) {
      // One that has just gone has no properties.
      guard let properties = try? properties(of: path, Name.accessPoint) else { continue }
      if let accessPoint = NetworkManagerAccessPoint(path: path, properties) { found.append(accessPoint) }
    }
    return found
  }

  private func lastScan(of device: String) -> Int? {
    try? property(of: device, Name.wireless, "LastScan").number
  }

  private static let scanLimit = Duration.seconds(12)
  private static let greatestDeviceCount = 256
  private static let greatestAccessPointCount = 512
}

// MARK: Calls

extension NetworkManagerSession {
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
    static let properties = "org.freedesktop.DBus.Properties"
  }

  @discardableResult
  func call(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
  ) throws(JoinFailure) -> [BusValue] {
    do throws(BusFault) {
      return try bus.call(owner, path, interface, member, arguments, wakeUp: wakeUp, within: Self.patience).values()
    } catch {
      throw Self.failure(error)
    }
  }

  /// The same, even if the task is canceled meanwhile: the next wait ends then.
  func callToTheEnd(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]
  ) throws(JoinFailure) -> [BusValue] {
    do throws(BusFault) {
      return try bus.call(owner, path, interface, member, arguments, wakeUp: nil, within: Self.patience).values()
    } catch {
      throw Self.failure(error)
    }
  }

  func property(of path: String, _ interface: String, _ name: String) throws(JoinFailure) -> BusValue {
    let reply = try call(path, Name.properties, "Get", [.string(interface), .string(name)])
    guard let value = reply.first?.bare else { throw .other }
    return value
  }

  func properties(of path: String, _ interface: String) throws(JoinFailure) -> BusValue {
    guard let values = try call(path, Name.properties, "GetAll", [.string(interface)]).first else { throw .other }
    return values
  }

  /// Asks for signals of NetworkManager.
  func subscribe(_ rule: String) throws(JoinFailure) {
    do throws(BusFault) {
      try bus.subscribe(to: "type='signal',sender='\(owner)',\(rule)", wakeUp: wakeUp, within: Self.patience)
    } catch {
      throw Self.failure(error)
    }
  }

  /// The next signal of NetworkManager; nil when the deadline has passed, or for one of somebody else.
  ///
  /// - Throws: `.radioUnavailable` when NetworkManager has ended.
  func signal(until deadline: ContinuousClock.Instant) throws(JoinFailure) -> BusMessage? {
    do throws(BusFault) {
      guard let message = try bus.signal(until: deadline, wakeUp: wakeUp) else { return nil }
      if message.sender == BusConnection.daemon, message.isSignal(BusConnection.daemon, "NameOwnerChanged") {
        let values = try message.values()
        if values.first?.text == Name.manager { throw .noBus("NetworkManager has ended") }
      }
      return message.sender == owner ? message : nil
    } catch {
      throw Self.failure(error)
    }
  }

  static func failure(_ fault: BusFault) -> JoinFailure {
    switch fault {
    case .noBus, .late: .radioUnavailable
    case .cancelled, .malformed: .other
    case .refused(let name, _): failure(ofError: name)
    }
  }

  private static func failure(ofError name: String) -> JoinFailure {
    switch name.split(separator: ".").last {
    case "PermissionDenied", "AccessDenied", "NotAuthorized", "AuthFailed", "InteractiveAuthorizationRequired":
      .notPermitted
    case "ServiceUnknown", "NameHasNoOwner", "NoReply", "Disconnected", "Timeout", "TimedOut", "UnknownObject",
      "UnknownDevice", "DeviceNotReady":
      .radioUnavailable
    case _ where name.contains(".Spawn."): .radioUnavailable
    default: .other
    }
  }
}
