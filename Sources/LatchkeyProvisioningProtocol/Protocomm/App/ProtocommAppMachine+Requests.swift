import LatchkeyByteCoding

/// What an open session is asked for, and how it answers.
extension ProtocommAppMachine {
  /// Networks in one answer: with the longest names they fit.
  private static let pageLength: UInt32 = 4

  mutating func start(_ request: AppRequest, _ context: AppContext) throws(ProvisioningFailure) {
    switch request {
    case .scan:
      guard has(ProtocommEndpoint.scan) else { return }
      networks = []
      try self.request(ScanMessage.start(ScanSettings()).encoded, to: ProtocommEndpoint.scan, .scanStart, context)
    case .join(let credentials):
      guard has(ProtocommEndpoint.config) else { return }
      let settings = NetworkSettings(
        ssid: credentials.ssid, passphrase: credentials.passphrase, bssid: credentials.bssid ?? [],
        channel: Int32(clamping: credentials.channel ?? 0))
      joining = settings
      hasCleared = false
      if case .failed = lastState, try clear(context) { return }
      try self.request(ConfigMessage.set(settings).encoded, to: ProtocommEndpoint.config, .settings, context)
    case .status:
      guard has(ProtocommEndpoint.config) else { return }
      try self.request(
        ConfigMessage.getStatus.encoded, to: ProtocommEndpoint.config, .status(isRepeated: false), context)
    case .forget:
      guard has(ProtocommEndpoint.control) else { return }
      // A network that was joined is left by another message than an attempt that failed.
      var message = ControlMessage.reset
      if case .connected = lastState { message = .provisionAgain }
      try self.request(message.encoded, to: ProtocommEndpoint.control, .forget, context)
    case .custom(let endpoint, let body):
      let name = endpoint.lowercased()
      guard !ProtocommEndpoint.standard.contains(name), has(name) else {
        return report(.requestFailed(.unsupported("the device has no endpoint of this name")))
      }
      guard body.count + (cipher?.overhead ?? 0) <= ProtocommEndpoint.greatestLength else {
        return report(.requestFailed(.unsupported("a request of \(body.count) bytes")))
      }
      try self.request(body, to: name, .custom, context)
    case .identify, .information, .hostname, .name:
      report(.requestFailed(.unsupported("Espressif's protocol has no such request")))
    }
  }

  /// Whether the device has the endpoint; reports that it has not.
  private mutating func has(_ endpoint: String) -> Bool {
    guard characteristics[endpoint] == nil else { return true }
    if ProtocommEndpoint.standard.contains(endpoint) {
      report(.requestFailed(.unsupported("the device has no endpoint \(endpoint)")))
    }
    return false
  }

  /// An answer's text. What it may not be ends the session.
  mutating func answered(
    _ text: [UInt8], _ purpose: ProtocommTransaction.Purpose, _ context: AppContext
  ) throws {
    switch purpose {
    case .version, .key, .proof: break
    case .scanStart, .scanStatus, .scanPage: try scanned(ScanMessage(text), purpose, context)
    case .clearance:
      guard case .resetResponse = try ControlMessage(text) else { throw Self.unexpected }
      // Whatever it answers: the next message shows whether it takes another attempt.
      lastState = .idle
      guard let joining else { throw Self.unexpected }
      try request(ConfigMessage.set(joining).encoded, to: ProtocommEndpoint.config, .settings, context)
    case .settings, .apply, .status: try configured(ConfigMessage(text), purpose, context)
    case .forget:
      switch try ControlMessage(text) {
      case .resetResponse(let status), .provisionAgainResponse(let status):
        if status == .success { lastState = .idle }
        report(status == .success ? .done : .requestFailed(.refused("\(status)")))
      default: throw Self.unexpected
      }
    case .custom: report(.response(text))
    }
  }

  private static let unexpected = ProvisioningFailure.malformed("an answer to another request")

  // MARK: Scans

  private mutating func scanned(
    _ message: ScanMessage, _ purpose: ProtocommTransaction.Purpose, _ context: AppContext
  ) throws {
    switch (message, purpose) {
    case (.startResponse(let status), .scanStart):
      guard status == .success else { return report(.requestFailed(.refused("\(status)"))) }
      try request(ScanMessage.getStatus.encoded, to: ProtocommEndpoint.scan, .scanStatus, context)
    case (.status(let status, let isFinished, let count), .scanStatus):
      guard status == .success else { return report(.requestFailed(.refused("\(status)"))) }
      guard isFinished else {
        // We asked for an answer when the scan is over.
        return report(.requestFailed(.refused("the scan does not end")))
      }
      try page(first: 0, total: min(count, UInt32(clamping: configuration.scanLimit)), context)
    case (.result(let status, let page), .scanPage(let first, let total)):
      guard status == .success else { return report(.requestFailed(.refused("\(status)"))) }
      let page = page.prefix(Int(total - first))
      networks += page
      // An empty page ends the list, whatever number the device has told.
      try self.page(first: page.isEmpty ? total : first + UInt32(page.count), total: total, context)
    default: throw Self.unexpected
    }
  }

  /// Asks for the next networks, or reports all.
  private mutating func page(first: UInt32, total: UInt32, _ context: AppContext) throws {
    guard first < total else {
      report(.networks(networks))
      networks = []
      return
    }
    let message = ScanMessage.getResult(start: first, count: min(Self.pageLength, total - first))
    try request(message.encoded, to: ProtocommEndpoint.scan, .scanPage(first: first, total: total), context)
  }

  // MARK: Joining

  private mutating func configured(
    _ message: ConfigMessage, _ purpose: ProtocommTransaction.Purpose, _ context: AppContext
  ) throws {
    switch (message, purpose) {
    case (.setResponse(let status), .settings):
      guard status == .success else { return try refused(status, context) }
      try request(ConfigMessage.apply.encoded, to: ProtocommEndpoint.config, .apply, context)
    case (.applyResponse(let status), .apply):
      guard status == .success else { return try refused(status, context) }
      joining = nil
      lastState = .connecting
      report(.network(.connecting))
      polling = (context.now + configuration.pollInterval, context.now + configuration.joinLimit)
    case (.status(let answer), .status(let isRepeated)):
      guard answer.status == .success else {
        polling = nil
        return report(.requestFailed(.refused("\(answer.status)")))
      }
      let state = try NetworkState(answer)
      lastState = state
      if isRepeated, state == .connecting {
        polling?.next = context.now + configuration.pollInterval
      } else {
        polling = nil
        report(.network(state))
      }
    default: throw Self.unexpected
    }
  }

  /// A device that has failed to join, in this session or an earlier one, refuses another attempt until it was told to forget that one:
  /// it is told so, once.
  private mutating func refused(_ status: ProtocommStatus, _ context: AppContext) throws(ProvisioningFailure) {
    if status == .internalError, try clear(context) { return }
    joining = nil
    report(.requestFailed(.refused("\(status)")))
  }

  /// Has the device forget the attempt before this one, once; false if that cannot be, or was done.
  private mutating func clear(_ context: AppContext) throws(ProvisioningFailure) -> Bool {
    guard !hasCleared, characteristics[ProtocommEndpoint.control] != nil else { return false }
    hasCleared = true
    try request(ControlMessage.reset.encoded, to: ProtocommEndpoint.control, .clearance, context)
    return true
  }
}

extension NetworkState {
  /// What a device says, as far as it makes sense.
  init(_ report: NetworkReport) throws(ProvisioningFailure) {
    switch (report.state, report.detail) {
    case (.connected, .connected(let connection)):
      self = .connected(
        JoinedNetwork(
          ssid: connection.ssid,
          address: connection.address.isEmpty ? nil : String(decoding: connection.address, as: UTF8.self),
          security: NetworkSecurity(rawValue: connection.security),
          bssid: connection.bssid.count == 6 ? connection.bssid : nil,
          channel: connection.channel > 0 ? Int(connection.channel) : nil))
    // Connected is 0, and so is what is not there: without the network it is no state at all.
    case (.connected, _): throw .malformed("a network that is joined and has no name")
    case (.connecting, _), (.disconnected, _): self = .connecting
    case (.failed, .failure(0)): self = .failed(.wrongPassphrase)
    case (.failed, .failure(1)): self = .failed(.networkNotFound)
    case (.failed, _): self = .failed(.other)
    default: throw .malformed("a state of the network that there is not")
    }
  }
}
