import LatchkeyByteCoding
import LatchkeyDBus
import LatchkeyProvisioningProtocol

extension IwdSession {
  /// Joins the network, which iwd keeps; an attempt that fails, is too slow or is canceled leaves nothing behind.
  func join(
    _ credentials: NetworkCredentials, on interface: String?, _ link: NetworkLink, _ limits: JoinLimits
  ) throws(JoinFailure) -> (network: JoinedNetwork, path: String) {
    var objects = try objects()
    let station = try station(interface, of: objects)
    let hasPassphrase = credentials.passphrase.count > 0
    func find() -> IwdObjects.Network? {
      objects.network(credentials.ssid, of: station.path, hasPassphrase: hasPassphrase)
    }
    if find() == nil {
      try scan(station.path)
      objects = try self.objects()
    }
    let network = find()
    try Self.check(credentials, network)
    let path = network?.path ?? IwdObjects.path(of: credentials.ssid, station: station.path)
    let agent = IwdAgent(network: path, passphrase: credentials.passphrase)
    bus.exported = agent.object(for: owner)
    try call(Name.root, Name.agents, "RegisterAgent", [.path(IwdAgent.path)])
    try subscribe("path='\(station.path)',interface='\(Self.propertiesInterface)',member='PropertiesChanged'")
    let state = link.state(station.interface)
    do throws(JoinFailure) {
      try connect(credentials, network, on: station.path, agent, within: limits.association)
      let (address, reach) = try waitForAddress(on: station.interface, link, before: state, within: limits.address) {
        message throws(JoinFailure) in try self.isIn(message, station.path)
      }
      // A hidden network has its object only now.
      let joined = network ?? IwdObjects.network(path, try? properties(of: path, Name.network))
      var answer = joined.map { describe($0, on: station, address) } ?? JoinedNetwork(ssid: credentials.ssid)
      (answer.ssid, answer.address, answer.reach, answer.isKept) = (credentials.ssid, address, reach, true)
      return (answer, path)
    } catch {
      abandon(credentials.ssid, wasKnown: network?.known != nil, on: station)
      throw error
    }
  }

  /// Leaves a network and has iwd forget it.
  func forget(_ network: String) {
    guard
      let known = try? callToTheEnd(
        network, Self.propertiesInterface, "Get", [.string(Name.network), .string("KnownNetwork")],
        within: Self.farewellLimit
      ).first?.text
    else { return }
    _ = try? callToTheEnd(known, Name.known, "Forget", within: Self.farewellLimit)
  }

  /// What iwd itself refuses late, or not at all.
  ///
  /// - Throws: `.networkNotFound` for a name that iwd cannot see, `.wrongPassphrase` for one that cannot be the network's.
  private static func check(_ credentials: NetworkCredentials, _ network: IwdObjects.Network?) throws(JoinFailure) {
    // iwd skips names that are no UTF-8.
    guard String(validating: credentials.ssid, as: UTF8.self) != nil else { throw .networkNotFound }
    switch try NetworkKey(credentials, network?.security) {
    case .open, .owe: return
    case .preSharedKeyOrSAE: return
    // An agent of iwd gives passphrases of 8 to 63 characters; neither keys of 64 digits nor those of WEP.
    case .preSharedKey, .wep: throw .other
    case .sae: throw .wrongPassphrase
    }
  }

  private func connect(
    _ credentials: NetworkCredentials, _ network: IwdObjects.Network?, on station: String, _ agent: IwdAgent,
    within limit: Duration
  ) throws(JoinFailure) {
    var tries = 0
    while true {
      tries += 1
      do throws(BusFault) {
        if let network {
          _ = try ask(network.path, Name.network, "Connect", within: limit)
        } else {
          let name = String(decoding: credentials.ssid, as: UTF8.self)
          _ = try ask(station, Name.station, "ConnectHiddenNetwork", [.string(name)], within: limit)
        }
        return
      } catch {
        // iwd tries a passphrase that it knows without asking; when that has failed it asks.
        if network?.known != nil, !agent.hasAnswered, tries == 1, IwdOutcome.needsScan(error) { continue }
        // Not for the time that is over, nor by iwd itself: this side has waited long enough.
        if error == .late { throw .timedOut }
        var isInReach = true
        if IwdOutcome.needsScan(error) {
          // iwd may be on its way back to the network from before, and not able to scan: what it knows will do.
          try? scan(station)
          isInReach =
            try objects().network(
              credentials.ssid, of: station, hasPassphrase: credentials.passphrase.count > 0) != nil
            || network == nil
        }
        throw IwdOutcome.failure(error, gavePassphrase: agent.hasAnswered, isInReach: isInReach)
      }
    }
  }

  /// Whether a signal says that the station is in a network; nil for another one.
  private func isIn(_ message: BusMessage, _ station: String) throws(JoinFailure) -> Bool? {
    guard message.path == station, message.isSignal(Self.propertiesInterface, "PropertiesChanged") else { return nil }
    let values = try Self.values(of: message)
    guard values.count >= 2, values[0].text == Name.station, let state = values[1]["State"]?.text else { return nil }
    // With its own DHCP client iwd says "connecting" until there is an address.
    return ["connected", "connecting", "roaming"].contains(state)
  }

  /// Has iwd forget a network that it did not know before, and go back to the one from before, even if the caller no longer waits.
  private func abandon(_ ssid: [UInt8], wasKnown: Bool, on station: IwdObjects.Station) {
    guard
      let reply = try? bus.call(
        owner, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", wakeUp: nil, within: Self.farewellLimit
      ).values(atMost: 262_144)
    else { return }
    let objects = IwdObjects(reply.first)
    let added = objects.networks.values.filter { $0.station == station.path && $0.ssid == ssid }
    let connected = objects.stations.first { $0.path == station.path }?.connected
    if added.contains(where: { $0.path == connected }) || connected == nil {
      // Ends an attempt that is under way, too.
      _ = try? callToTheEnd(station.path, Name.station, "Disconnect", within: Self.farewellLimit)
    }
    if !wasKnown { for network in added { forget(network.path) } }
    guard let before = station.connected, before != connected else { return }
    _ = try? callToTheEnd(before, Name.network, "Connect", within: Self.farewellLimit)
  }

  private static let farewellLimit = Duration.seconds(5)
}
