import LatchkeyDBus
import LatchkeyProvisioningProtocol

extension SupplicantSession {
  /// Joins the network and keeps it; an attempt that fails, is too slow or is canceled leaves nothing behind.
  func join(
    _ credentials: NetworkCredentials, on interface: Interface, _ link: NetworkLink, _ limits: JoinLimits
  ) throws(JoinFailure) -> JoinedNetwork {
    let deadline = ContinuousClock.now + limits.association
    let accessPoint = try accessPoint(for: credentials, on: interface)
    var network = try SupplicantNetwork(credentials, accessPoint)
    let before = try selection(of: interface)
    try subscribe("path='\(interface.path)'")
    try subscribe("path='\(Name.root)',interface='\(Name.service)',member='InterfaceRemoved'")
    let state = link.state(interface.name)
    var added: String?
    do throws(JoinFailure) {
      let path: String
      do throws(BusFault) {
        path = try add(network, to: interface)
      } catch {
        // Without WPA3 wpa_supplicant refuses it, and WPA2 will do where the network has both.
        guard case .refused(let name, _) = error, name.hasSuffix(".InvalidArgs"), network.usesPSK, network.usesSAE
        else {
          throw Self.failure(error)
        }
        network = try SupplicantNetwork(credentials, accessPoint, hasSAE: false)
        do throws(BusFault) { path = try add(network, to: interface) } catch { throw Self.failure(error) }
      }
      added = path
      try callToTheEnd(interface.path, Name.interface, "SelectNetwork", [.path(path)])
      try wait(for: path, network, of: credentials, on: interface, until: deadline)
      let (address, reach) = try waitForAddress(on: interface.name, link, before: state, within: limits.address) {
        message throws(JoinFailure) in
        try self.changes(message, of: interface)?["State"]?.text.map { $0 == "completed" }
      }
      var joined = current(on: interface, link) ?? JoinedNetwork(ssid: credentials.ssid)
      (joined.ssid, joined.address, joined.reach) = (credentials.ssid, address, reach)
      joined.isKept = keep(path, credentials.ssid, before, on: interface)
      return joined
    } catch {
      abandon(added, before, on: interface)
      throw error
    }
  }

  /// Removes the networks that were joined here; others stay.
  func forget(on interface: Interface) {
    for path in ownNetworks(of: interface) { remove(path, from: interface) }
    _ = save(interface)
  }

  /// The access point of the network that is wanted; nil if none is seen: wpa_supplicant looks for it itself.
  private func accessPoint(
    for credentials: NetworkCredentials, on interface: Interface
  ) throws(JoinFailure) -> AccessPoint? {
    if let known = AccessPoint.best(of: try accessPoints(of: interface), for: credentials) { return known }
    let found = try scan(on: interface, hidden: credentials.isHidden ? credentials.ssid : nil)
    return AccessPoint.best(of: found, for: credentials)
  }

  /// Adds a network. Not canceled, since one that comes after its caller has left would stay.
  private func add(_ network: SupplicantNetwork, to interface: Interface) throws(BusFault) -> String {
    let reply = try bus.call(
      owner, interface.path, Name.interface, "AddNetwork", [network.settings], wakeUp: nil, within: Self.patience
    ).values()
    guard let path = reply.first?.text else { throw .malformed("no network in the answer to AddNetwork") }
    return path
  }

  private func wait(
    for path: String, _ network: SupplicantNetwork, of credentials: NetworkCredentials, on interface: Interface,
    until deadline: ContinuousClock.Instant
  ) throws(JoinFailure) {
    var attempt = SupplicantAttempt(usesPSK: network.usesPSK, usesSAE: network.usesSAE)
    while ContinuousClock.now < deadline {
      guard let message = try signal(until: deadline) else { continue }
      var verdict: SupplicantAttempt.Verdict?
      if message.path == interface.path, message.isSignal(Name.interface, "ScanDone") {
        verdict = attempt.scanDone()
      } else if message.path == interface.path, message.isSignal(Name.interface, "PskMismatch") {
        verdict = attempt.pskMismatch()
      } else if message.isSignal(Name.service, "InterfaceRemoved") {
        if try Self.values(of: message).first?.text == interface.path { throw .radioUnavailable }
      } else if let changes = try changes(message, of: interface) {
        verdict = Self.apply(changes, to: &attempt)
      }
      switch verdict {
      // The state may be of the network before.
      case .isIn?:
        if try property(of: interface.path, Name.interface, "CurrentNetwork").text == path { return }
      case .failed(let failure)?: throw failure
      case nil: break
      }
    }
    // One that has gone was tried, too: wpa_supplicant forgets it after two scans that do not find it.
    if let found = try? accessPoints(of: interface), AccessPoint.best(of: found, for: credentials) == nil {
      throw .networkNotFound
    }
    throw attempt.late
  }

  private static func apply(_ changes: BusValue, to attempt: inout SupplicantAttempt) -> SupplicantAttempt.Verdict? {
    if let reason = changes["DisconnectReason"]?.number { attempt.disconnected(reason: reason) }
    if let status = changes["AuthStatusCode"]?.number, let verdict = attempt.authentication(status: status) {
      return verdict
    }
    return changes["State"]?.text.flatMap { attempt.state($0) }
  }

  /// The properties of an interface that a signal says have changed; nil for another signal.
  private func changes(_ message: BusMessage, of interface: Interface) throws(JoinFailure) -> BusValue? {
    guard message.path == interface.path, message.isSignal(Self.propertiesInterface, "PropertiesChanged") else {
      return nil
    }
    let values = try Self.values(of: message)
    return values.count >= 2 && values[0].text == Name.interface ? values[1] : nil
  }

  /// Lets wpa_supplicant use the other networks again, removes older ones that were joined here under the name, and stores all.
  ///
  /// - Returns: whether it is stored.
  private func keep(
    _ path: String, _ ssid: [UInt8], _ before: SupplicantSelection, on interface: Interface
  ) -> Bool {
    let older = ownNetworks(of: interface, ssid: ssid).filter { $0 != path }
    for network in older { remove(network, from: interface) }
    enable(before, except: Set(older))
    return save(interface)
  }

  /// wpa_supplicant writes its file where `update_config=1` allows it, and else refuses.
  private func save(_ interface: Interface) -> Bool {
    (try? callToTheEnd(interface.path, Name.interface, "SaveConfig")) != nil
  }
}
