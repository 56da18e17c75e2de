extension ImprovDeviceMachine {
  package mutating func completed(_ number: Int, _ result: DeviceWorkResult, context: inout DeviceContext) {
    guard let work = works.removeValue(forKey: number) else { return }
    switch (work, result) {
    case (.join(let link), .done):
      joining = link
      followNetwork(context)
    case (.join(let link), .failed(.invalid)): joinFailed(link, .invalidCommand, context)
    case (.join(let link), _): joinFailed(link, .unknown, context)
    case (.scan(let links), .networks(let networks)):
      for link in links where peers[link] != nil {
        send(ImprovNetworks.result(networks, limit: context.notificationLimit(of: link)), to: link)
      }
    case (.scan(let links), _): for link in links { fail(link, .unknown) }
    case (.identify, _): break
    case (.rename(let command, let name, let link), .done):
      if command == .hostname { configuration.hostname = name } else { configuration.information.name = name }
      send(ImprovStrings.result(command, [name], limit: context.notificationLimit(of: link)), to: link)
    case (.rename(_, _, let link), .failed(.invalid)): fail(link, .badName)
    case (.rename(_, _, let link), _): fail(link, .unknown)
    }
    followAuthorization(context)
  }

  package mutating func changed(context: inout DeviceContext) {
    followNetwork(context)
    followAuthorization(context)
  }

  package mutating func handleTimeout(context: inout DeviceContext) {
    for link in peers.keys.sorted(by: { $0.id < $1.id })
    where peers[link]?.buffer.expire(now: context.now) == true {
      refuse(link, .invalidCommand, "a command without an end")
    }
    if let stopsAt, context.now >= stopsAt {
      self.stopsAt = nil
      state = .stopped
      actions.append(.advertise)
    }
    followAuthorization(context)
  }

  mutating func followNetwork(_ context: DeviceContext) {
    defer { wasConnected = context.network.isConnected }
    switch context.network {
    case .connected(let network):
      if let link = joining {
        joining = nil
        joined(network, by: link, context)
      } else if !wasConnected, state == .authorized || state == .authorizationRequired {
        setState(.provisioned)
        stopsAt = context.now + Self.stopDelay
      }
    case .failed:
      if let link = joining { joinFailed(link, .unableToConnect, context) }
      restart(context)
    case .idle: restart(context)
    case .connecting: break
    }
  }

  mutating func joined(_ network: JoinedNetwork, by link: ProvisioningLink, _ context: DeviceContext) {
    setState(.provisioned)
    // A page that is cut leads nowhere: without room for it there is none.
    let page = (network.page ?? configuration.page).map { Array($0.utf8) } ?? []
    let room = ImprovStrings.room(context.notificationLimit(of: link))
    let hasPage = !page.isEmpty && page.count < room
    send(ImprovFrame(.join, data: hasPage ? ImprovStrings.encode([page]) : []), to: link)
    stopsAt = context.now + Self.stopDelay
  }

  mutating func joinFailed(_ link: ProvisioningLink, _ error: ImprovError, _ context: DeviceContext) {
    joining = nil
    fail(link, error)
    setState(context.isAuthorized ? .authorized : .authorizationRequired)
  }

  /// The device has left its network: the service that stopped for it is there again.
  mutating func restart(_ context: DeviceContext) {
    guard state == .stopped || state == .provisioned else { return }
    stopsAt = nil
    setState(context.isAuthorized ? .authorized : .authorizationRequired)
  }

  /// Authorization that ends while the device joins a network lets it go on.
  mutating func followAuthorization(_ context: DeviceContext) {
    guard state == .authorized || state == .authorizationRequired else { return }
    setState(context.isAuthorized ? .authorized : .authorizationRequired)
  }
}
