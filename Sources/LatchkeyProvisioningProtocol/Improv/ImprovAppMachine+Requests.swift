import LatchkeyByteCoding

extension ImprovAppMachine {
  package mutating func perform(_ request: AppRequest, context: AppContext) {
    guard case .open = phase, self.request == nil else { return actions.append(.report(.requestFailed(.busy))) }
    if let failure = refusal(of: request) { return actions.append(.report(.requestFailed(failure))) }
    switch request {
    case .status: start(request, nil, within: Self.commandLimit, context)
    case .scan: start(request, .scan, within: Self.scanLimit, context)
    case .identify: start(request, .identify, within: Self.commandLimit, context)
    case .information: start(request, .information, within: Self.commandLimit, context)
    case .name(nil): start(request, .name, within: Self.commandLimit, context)
    case .join, .hostname, .name:
      guard state == .authorizationRequired else { return startAuthorized(request, context) }
      self.request = Request(
        request: request, command: nil, step: .waiting, deadline: context.now + Self.authorizationLimit)
      actions.append(.report(.needsAuthorization))
    case .forget, .custom: break
    }
  }

  /// Why a request need not be sent.
  private func refusal(of request: AppRequest) -> ProvisioningFailure? {
    switch request {
    case .scan: capabilities.contains(.scan) ? nil : .unsupported("a list of networks")
    case .identify: capabilities.contains(.identify) ? nil : .unsupported("a sign of the device")
    case .information: capabilities.contains(.information) ? nil : .unsupported("information about the device")
    case .hostname(let name):
      if !capabilities.contains(.hostname) {
        .unsupported("a host name")
      } else if let name, ImprovName.hostname(Array(name.utf8)) == nil {
        .refused("no host may have this name")
      } else {
        nil
      }
    case .name(let name?):
      name.utf8.count > ImprovFrame.greatestDataLength || ImprovName.name(Array(name.utf8)) == nil
        ? .refused("no device may have this name") : nil
    case .join: state == .provisioning ? .busy : nil
    case .name(nil), .status: nil
    case .forget: .unsupported("a way to forget the network")
    case .custom: .unsupported("endpoints of the maker's")
    }
  }

  /// Sends a request that needs authorization, once there is one.
  mutating func startAuthorized(_ request: AppRequest, _ context: AppContext) {
    switch request {
    case .join: start(request, .join, within: Self.joiningLimit, context)
    case .hostname: start(request, .hostname, within: Self.commandLimit, context)
    default: start(request, .name, within: Self.commandLimit, context)
    }
  }

  private mutating func start(
    _ request: AppRequest, _ command: ImprovCommand?, within limit: Duration, _ context: AppContext
  ) {
    self.request = Request(request: request, command: command, step: .sent, deadline: context.now + limit)
    guard let command else { return actions.append(.read(ImprovService.state)) }
    // Its result answers this command as well as the one before.
    abandoned.remove(command.rawValue)
    var data: [UInt8] = []
    defer { data.wipe() }
    switch request {
    case .join(let credentials):
      data.reserveCapacity(ImprovFrame.greatestDataLength)
      data.append(UInt8(credentials.ssid.count))
      data += credentials.ssid
      credentials.withPassphrase { passphrase in
        data.append(UInt8(passphrase.count))
        data += passphrase
      }
    case .hostname(let name?), .name(let name?): data = Array(name.utf8)
    default: break
    }
    var frame = ImprovFrame(command, data: data)
    write(frame, context)
    frame.data.wipe()
  }
}

// MARK: What the device says

extension ImprovAppMachine {
  mutating func stateChanged(_ value: [UInt8], _ context: AppContext) {
    guard let new = Self.state(value) else { return end(.malformed("a state that there is not")) }
    state = new
    guard case .open = phase, let request else { return }
    if request.step == .waiting {
      if new == .authorized {
        self.request = nil
        startAuthorized(request.request, context)
      }
      return
    }
    guard case .join = request.request else { return }
    switch (new, request.step) {
    case (.provisioning, .sent):
      self.request?.step = .joining
      actions.append(.report(.network(.connecting)))
    case (.provisioned, .sent), (.provisioned, .joining):
      self.request?.step = .joined
      self.request?.deadline = context.now + Self.resultLimit
    case (.authorized, .joining), (.authorizationRequired, .joining), (.stopped, .joining):
      finish(.network(.failed(.other)))
    default: break
    }
  }

  mutating func errorChanged(_ value: [UInt8]) {
    guard value.count == 1 else { return end(.malformed("an error of \(value.count) bytes")) }
    let error = ImprovError(rawValue: value[0])
    guard error != .none, let request, request.step == .sent || request.step == .joining, request.command != nil else {
      return
    }
    // Some devices forget to say that they are no longer provisioning.
    if state == .provisioning { state = .authorized }
    switch error {
    case .unableToConnect: finish(.network(.failed(.other)))
    case .invalidCommand: finish(.requestFailed(.refused("the command is not valid")))
    case .unknownCommand: finish(.requestFailed(.unsupported("command \(request.command?.rawValue ?? 0) of Improv")))
    case .notAuthorized: finish(.requestFailed(.notAuthorized))
    case .badName: finish(.requestFailed(.refused("the name is not allowed")))
    default: finish(.requestFailed(.refused("error \(error.rawValue) of Improv")))
    }
  }

  mutating func resultCame(_ value: [UInt8]) {
    // An empty value clears the characteristic.
    guard !value.isEmpty, let request, request.step != .waiting, let command = request.command, command != .identify
    else {
      return
    }
    do {
      let frame = try ImprovFrame(whole: value)
      guard frame.command == command.rawValue else {
        if abandoned.remove(frame.command) != nil { return }
        return malformed("a result of command \(frame.command) in place of \(command.rawValue)")
      }
      try answer(command, frame.data, request.request)
    } catch {
      malformed(error == .checksum ? "a result with a wrong checksum" : "a result of a wrong length")
    }
  }

  private mutating func answer(
    _ command: ImprovCommand, _ data: [UInt8], _ request: AppRequest
  ) throws(ImprovFrameError) {
    guard command != .scan else { return finish(.networks(try ImprovNetworks.decode(data))) }
    let strings = try ImprovStrings.decode(data)
    let texts = strings.map { String(decoding: $0, as: UTF8.self) }
    switch request {
    case .join: joined(page: ImprovPage.page(in: strings))
    case .information:
      guard texts.count >= 4 else { throw .length }
      finish(
        .information(
          DeviceInformation(
            firmware: texts[0], version: texts[1], hardware: texts[2], name: texts[3],
            system: texts.count > 4 ? texts[4] : nil, systemVersion: texts.count > 5 ? texts[5] : nil)))
    case .hostname(let name):
      guard let name = texts.first ?? name else { throw .length }
      finish(.hostname(name))
    case .name(let name):
      guard let name = texts.first ?? name else { throw .length }
      finish(.name(name))
    default: break
    }
  }

  /// A result that is none. A device that says that it has joined is believed without one.
  private mutating func malformed(_ words: String) {
    if request?.step == .joined { return joined(page: nil) }
    finish(.requestFailed(.malformed(words)))
  }

  mutating func joined(page: String?) {
    guard case .join(let credentials)? = request?.request else { return }
    joinedNetwork = credentials.ssid
    finish(.network(.connected(JoinedNetwork(ssid: credentials.ssid, page: page))))
  }

  mutating func statusCame(_ value: [UInt8]) {
    guard let request, case .status = request.request else { return }
    guard let state = Self.state(value) else { return end(.malformed("a state that there is not")) }
    self.state = state
    switch state {
    case .stopped, .authorizationRequired, .authorized: finish(.network(.idle))
    case .provisioning: finish(.network(.connecting))
    case .provisioned:
      guard let joinedNetwork else { return finish(.requestFailed(.unsupported("the name of its network"))) }
      finish(.network(.connected(JoinedNetwork(ssid: joinedNetwork))))
    }
  }
}
