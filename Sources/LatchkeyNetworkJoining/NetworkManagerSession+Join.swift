import LatchkeyByteCoding
import LatchkeyDBus
import LatchkeyProvisioningProtocol

extension NetworkManagerSession {
  /// Joins the network and keeps its profile; an attempt that fails, is too slow or is canceled leaves nothing behind.
  ///
  /// - Parameter uptime: the seconds since the system's start, as NetworkManager counts them (`AccessPoint.lastSeen`).
  func join(
    _ credentials: NetworkCredentials, on device: String, within limit: Duration, uptime: () -> Int
  ) throws(JoinFailure) -> JoinedNetwork {
    let deadline = ContinuousClock.now + limit
    let accessPoint = try accessPoint(for: credentials, on: device)
    let profile = try NetworkManagerProfile(credentials, accessPoint: accessPoint)
    // By interface, since the path of the activation is not known before it begins.
    try subscribe("path='\(device)',interface='\(Name.device)',member='StateChanged'")
    try subscribe("interface='\(Name.active)',member='StateChanged'")
    let start = uptime()
    var active: String?
    do throws(JoinFailure) {
      // Not canceled, since a profile that comes after its caller has left would stay. If the answer is late, the UUID finds it.
      let reply = try callToTheEnd(
        Name.root, Name.manager, "AddAndActivateConnection2",
        [
          profile.settings, .path(device), .path(accessPoint?.path ?? "/"),
          .options(["persist": .string("volatile")]),
        ])
      guard reply.count >= 2, let path = reply[0].text, let activation = reply[1].text else { throw .other }
      active = activation
      try wait(for: activation, on: device, until: deadline)
      var network = joined(credentials.ssid, on: device)
      network.reach = reach()
      // 1: to disk.
      try call(path, Name.profile, "Update2", [.dictionary(of: "a{sv}", [:]), .uint32(1), .options([:])])
      network.isKept = true
      removeOlder(than: path, ssid: credentials.ssid)
      return network
    } catch {
      let failure = error == .networkNotFound ? absence(of: credentials, on: device, since: start) : error
      abandon(active, uuid: profile.uuid)
      throw failure
    }
  }

  /// Leaves the networks that were joined here, and removes their profiles; others stay.
  func forget() throws(JoinFailure) {
    for (path, _) in try ownProfiles() { try call(path, Name.profile, "Delete") }
  }

  /// The network that a device is in; nil if it is in none.
  func current(on device: String) -> JoinedNetwork? {
    // NM_DEVICE_STATE_ACTIVATED
    guard (try? property(of: device, Name.device, "State"))?.number == 100 else { return nil }
    var network = joined([], on: device)
    network.reach = (try? property(of: Name.root, Name.manager, "Connectivity"))?.number.map(Self.reach) ?? .unknown
    return network.ssid.isEmpty ? nil : network
  }

  /// The access point of the network that is wanted; nil if none is seen: NetworkManager looks for it itself.
  private func accessPoint(
    for credentials: NetworkCredentials, on device: String
  ) throws(JoinFailure) -> AccessPoint? {
    if let known = AccessPoint.best(of: try accessPoints(of: device), for: credentials) { return known }
    return AccessPoint.best(of: try scan(on: device), for: credentials)
  }

  /// What it means that NetworkManager has not found the network: it says so, too, of one that was there and did not let the device in
  /// (`association took too long`). With SAE that is a wrong passphrase, since it is proven before the device is associated.
  private func absence(of credentials: NetworkCredentials, on device: String, since start: Int) -> JoinFailure {
    // The supplicant scans before each of its attempts. Of a scan that was under way at the start it may report access points only now,
    // with the time at which it has heard them: that says nothing about this attempt.
    let found = (try? accessPoints(of: device))?.filter {
      $0.ssid == credentials.ssid && (credentials.bssid ?? $0.bssid) == $0.bssid
        && $0.lastSeen > start + Self.lastSeenAccuracy
    }
    guard let found, !found.isEmpty else { return .networkNotFound }
    return found.contains { [.wpa3, .wpa2WPA3].contains($0.security) } ? .wrongPassphrase : .timedOut
  }

  /// In seconds: wpa_supplicant tells how long ago it has heard an access point in whole seconds, rounded down, and NetworkManager counts
  /// back from when it is told.
  private static let lastSeenAccuracy = 2

  private func wait(
    for active: String, on device: String, until deadline: ContinuousClock.Instant
  ) throws(JoinFailure) {
    var attempt = NetworkManagerAttempt()
    var deadline = deadline
    while ContinuousClock.now < deadline {
      guard let message = try signal(until: deadline), message.member == "StateChanged" else { continue }
      let numbers = try Self.values(of: message).compactMap(\.number)
      var verdict: NetworkManagerAttempt.Verdict?
      if message.interface == Name.device, message.path == device, numbers.count == 3 {
        verdict = attempt.device(state: numbers[0], from: numbers[1], reason: numbers[2])
      } else if message.interface == Name.active, message.path == active, numbers.count == 2 {
        verdict = attempt.activation(state: numbers[0], reason: numbers[1])
        // The device says more exactly what was wrong, at nearly the same time.
        if attempt.ended != nil { deadline = min(deadline, ContinuousClock.now + .seconds(1)) }
      }
      switch verdict {
      case .joined?: return
      case .failed(let failure)?: throw failure
      case nil: break
      }
    }
    throw attempt.late
  }

  /// What is known of the network that the device is in; nothing here can fail the attempt.
  private func joined(_ ssid: [UInt8], on device: String) -> JoinedNetwork {
    var network = JoinedNetwork(ssid: ssid)
    if let path = (try? property(of: device, Name.wireless, "ActiveAccessPoint"))?.text, path != "/",
      let properties = try? properties(of: path, Name.accessPoint),
      let accessPoint = AccessPoint(networkManager: path, properties)
    {
      if ssid.isEmpty { network.ssid = accessPoint.ssid }
      network.security = accessPoint.security
      network.bssid = accessPoint.bssid
      network.channel = accessPoint.channel
    }
    for (property, interface) in [
      ("Ip4Config", "org.freedesktop.NetworkManager.IP4Config"),
      ("Ip6Config", "org.freedesktop.NetworkManager.IP6Config"),
    ] where network.address == nil {
      guard let path = (try? self.property(of: device, Name.device, property))?.text, path != "/",
        let addresses = (try? self.property(of: path, interface, "AddressData"))?.items
      else { continue }
      let texts = addresses.compactMap { $0["address"]?.text }
      network.address = texts.first { !$0.lowercased().hasPrefix("fe80:") } ?? texts.first
    }
    return network
  }

  /// What lies beyond the network, checked now.
  private func reach() -> NetworkReach {
    let checked = try? call(Name.root, Name.manager, "CheckConnectivity").first
    let known = checked ?? (try? property(of: Name.root, Name.manager, "Connectivity"))
    return known?.number.map(Self.reach) ?? .unknown
  }

  /// NMConnectivityState: 0, checks are off, is no "no".
  private static func reach(_ connectivity: Int) -> NetworkReach {
    switch connectivity {
    case 4: .internet
    case 2: .portal
    case 1, 3: .noInternet
    default: .unknown
    }
  }

  /// Removes what an attempt has added, even if its caller no longer waits.
  private func abandon(_ active: String?, uuid: String) {
    func ask(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []) -> [BusValue]? {
      try? callToTheEnd(path, interface, member, arguments, within: .seconds(5))
    }
    if let active { _ = ask(Name.root, Name.manager, "DeactivateConnection", [.path(active)]) }
    guard let path = ask(Name.settingsRoot, Name.settings, "GetConnectionByUuid", [.string(uuid)])?.first?.text else {
      return
    }
    _ = ask(path, Name.profile, "Delete")
  }

  /// A network that is joined again has one profile: the new one.
  private func removeOlder(than path: String, ssid: [UInt8]) {
    guard let profiles = try? ownProfiles() else { return }
    for (other, name) in profiles where other != path && name == ssid {
      _ = try? call(other, Name.profile, "Delete")
    }
  }

  /// The profiles that were made here, and the names of their networks.
  private func ownProfiles() throws(JoinFailure) -> [(path: String, ssid: [UInt8])] {
    let paths = try call(Name.settingsRoot, Name.settings, "ListConnections").first?.items ?? []
    var found: [(path: String, ssid: [UInt8])] = []
    for path in paths.prefix(1024).compactMap(\.text) {
      // Another user's profile cannot be read; nor is it ours.
      guard let settings = try? call(path, Name.profile, "GetSettings").first,
        settings["user"]?["data"]?[NetworkManagerProfile.mark] != nil
      else { continue }
      found.append((path, settings["802-11-wireless"]?["ssid"]?.octets ?? []))
    }
    return found
  }
}
