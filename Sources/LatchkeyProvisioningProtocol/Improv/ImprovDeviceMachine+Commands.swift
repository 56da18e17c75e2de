import LatchkeyByteCoding

extension ImprovDeviceMachine {
  mutating func perform(_ frame: ImprovFrame, from link: ProvisioningLink, _ context: DeviceContext) {
    guard let command = ImprovCommand(rawValue: frame.command), offers(command) else {
      return refuse(link, .unknownCommand, "command \(frame.command), which there is not")
    }
    switch command {
    case .join: join(frame.data, from: link)
    case .identify, .information, .scan:
      guard frame.data.isEmpty else { return refuse(link, .invalidCommand, "data where the command has none") }
      accept(link)
      switch command {
      case .identify: identify()
      case .information: sendInformation(to: link, context)
      default: scan(for: link)
      }
    case .hostname:
      guard state == .authorized else { return refuse(link, .notAuthorized, "a host name without authorization") }
      guard let name = ImprovName.requested(frame.data) else {
        accept(link)
        return send(
          ImprovStrings.result(.hostname, [configuration.hostname], limit: context.notificationLimit(of: link)),
          to: link)
      }
      rename(.hostname, ImprovName.hostname(name), for: link)
    case .name:
      guard let name = ImprovName.requested(frame.data) else {
        accept(link)
        return send(
          ImprovStrings.result(
            .name, [configuration.information.name], limit: context.notificationLimit(of: link)), to: link)
      }
      guard state == .authorized else { return refuse(link, .notAuthorized, "a name without authorization") }
      rename(.name, ImprovName.name(name), for: link)
    }
  }

  func offers(_ command: ImprovCommand) -> Bool {
    switch command {
    case .join: true
    case .identify: configuration.capabilities.contains(.identify)
    case .information: configuration.capabilities.contains(.information)
    case .scan: configuration.capabilities.contains(.scan)
    case .hostname: configuration.capabilities.contains(.hostname)
    case .name: configuration.hasName
    }
  }

  mutating func join(_ data: [UInt8], from link: ProvisioningLink) {
    guard var strings = try? ImprovStrings.decode(data), strings.count == 2 else {
      return refuse(link, .invalidCommand, "credentials of a wrong length")
    }
    defer { strings[1].wipe() }
    guard let credentials = try? NetworkCredentials(ssid: strings[0], passphrase: strings[1]) else {
      return refuse(link, .invalidCommand, "credentials that no network has")
    }
    guard state == .authorized else { return refuse(link, .notAuthorized, "credentials without authorization") }
    accept(link)
    setState(.provisioning)
    begin(.join(link), .join(credentials))
  }

  mutating func identify() {
    let isUnderWay = works.values.contains { if case .identify = $0 { true } else { false } }
    if !isUnderWay { begin(.identify, .identify) }
  }

  mutating func sendInformation(to link: ProvisioningLink, _ context: DeviceContext) {
    let information = configuration.information
    var texts = [information.firmware, information.version, information.hardware, information.name]
    if configuration.sendsSystem, let system = information.system {
      texts += [system, information.systemVersion ?? ""]
    }
    send(ImprovStrings.result(.information, texts, limit: context.notificationLimit(of: link)), to: link)
  }

  /// Who asks during a scan gets its result.
  mutating func scan(for link: ProvisioningLink) {
    for (number, work) in works {
      guard case .scan(let links) = work else { continue }
      // Links that have ended are dropped, so that the list is never longer than that of the peers.
      works[number] = .scan(links.filter { peers[$0] != nil && $0 != link } + [link])
      return
    }
    begin(.scan([link]), .scan)
  }

  mutating func rename(_ command: ImprovCommand, _ name: String?, for link: ProvisioningLink) {
    guard let name else { return refuse(link, .badName, "a name that is none") }
    let isUnderWay = works.values.contains { if case .rename = $0 { true } else { false } }
    guard !isUnderWay else { return refuse(link, .unknown, "a second name at the same time") }
    accept(link)
    begin(.rename(command, name, link), command == .hostname ? .setHostname(name) : .setName(name))
  }

  mutating func begin(_ work: Work, _ request: DeviceWork) {
    lastWork += 1
    works[lastWork] = work
    actions.append(.perform(lastWork, request))
  }
}

// MARK: What peers see

extension ImprovDeviceMachine {
  mutating func setState(_ new: ImprovState) {
    guard new != state else { return }
    state = new
    for link in peers.keys.sorted(by: { $0.id < $1.id }) {
      actions.append(.notify(link, characteristic: ImprovService.state, [new.rawValue]))
    }
    actions.append(.advertise)
  }

  /// A command of the link is accepted: its last error is over.
  mutating func accept(_ link: ProvisioningLink) {
    if let error = peers[link]?.error, error != .none { fail(link, .none) }
    guard peers[link]?.isOpen == false else { return }
    peers[link]?.isOpen = true
    actions.append(.report(.opened(link, .none)))
  }

  mutating func refuse(_ link: ProvisioningLink, _ error: ImprovError, _ words: String) {
    fail(link, error)
    actions.append(.report(.refused(link, words)))
  }

  /// Shows an error; the same one again is notified again, or its client would wait.
  mutating func fail(_ link: ProvisioningLink, _ error: ImprovError) {
    guard peers[link] != nil else { return }
    peers[link]?.error = error
    actions.append(.notify(link, characteristic: ImprovService.error, [error.rawValue]))
  }

  mutating func send(_ frame: ImprovFrame, to link: ProvisioningLink) {
    guard peers[link] != nil else { return }
    peers[link]?.result = frame.encoded
    actions.append(.notify(link, characteristic: ImprovService.result, frame.encoded))
  }
}
