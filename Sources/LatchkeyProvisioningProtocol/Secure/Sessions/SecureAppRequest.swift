import LatchkeyByteCoding

/// A request of an app that is under way, and what it needs until it has ended.
struct SecureAppRequest: Sendable {
  /// What was asked for.
  let request: AppRequest
  /// Whether the machine asks by itself: nobody is told of the answer.
  let isOwn: Bool
  let endpoint: String
  var body: [UInt8]
  var id: UInt8 = 0
  /// The networks of the pages so far.
  var networks: [ScannedNetwork] = []
  /// Whether the response has come: a join goes on after it.
  var isAccepted = false
  /// Whether the device has begun to join since the request was sent.
  var hasBegun = false

  init(_ request: AppRequest, isOwn: Bool = false) {
    self.request = request
    self.isOwn = isOwn
    switch request {
    case .scan: (endpoint, body) = (SecureEndpoint.scan.rawValue, [0])
    case .join(let credentials):
      endpoint = SecureEndpoint.config.rawValue
      body = SecureNetworkConfiguration(credentials, appliesAtOnce: true).bytes
    case .status: (endpoint, body) = (SecureEndpoint.status.rawValue, [])
    case .forget: (endpoint, body) = (SecureEndpoint.forget.rawValue, [SecureForget.network.rawValue])
    case .identify: (endpoint, body) = (SecureEndpoint.identify.rawValue, [])
    case .information: (endpoint, body) = (SecureEndpoint.info.rawValue, [])
    case .hostname(let name): (endpoint, body) = (SecureEndpoint.hostname.rawValue, Array((name ?? "").utf8))
    // The protocol has no endpoint for it: `refusal(by:)` says so.
    case .name: (endpoint, body) = ("name", [])
    case .custom(let name, let content): (endpoint, body) = (name, content)
    }
  }

  var isJoin: Bool {
    if case .join = request { true } else { false }
  }

  /// How long its answer may take: the device may have to talk to others first.
  var limit: Duration {
    isJoin || endpoint == SecureEndpoint.enroll.rawValue ? SecureAppMachine.joinTime : SecureAppMachine.requestTime
  }

  /// Why the request is not sent at all.
  func refusal(by information: SecureInformation?) -> ProvisioningFailure? {
    guard SecureRequest.isName(Array(endpoint.utf8)) else { return .refused("no endpoint has such a name") }
    let wanted: ProvisioningCapabilities? =
      switch request {
      case .scan: .scan
      case .identify: .identify
      case .information: .information
      case .hostname: .hostname
      case .forget: .forget
      case .name: .name
      case .join, .status, .custom: nil
      }
    guard let wanted, let information else { return nil }
    let has = ProvisioningCapabilities(rawValue: UInt16(information.capabilities & 0x3F))
    return has.contains(wanted) ? nil : .unsupported("the device has no \(endpoint)")
  }
}

extension SecureAppMachine {
  /// The device has answered.
  mutating func responded(_ id: UInt8, _ status: SecureStatus, _ body: [UInt8], _ context: AppContext) {
    guard var current = request, current.id == id, !current.isAccepted else {
      return fail(.malformed("a response to no request"))
    }
    guard !current.isOwn else { return endOwn(context) }
    guard status == .done else {
      return end(.requestFailed(status.failure(endpoint: current.endpoint, text: body)), context)
    }
    do {
      switch current.request {
      case .scan: try scanned(SecureScanPage(body), context)
      case .join:
        guard body.isEmpty else { throw ByteCodingError.invalidValue(field: "config's response") }
        current.isAccepted = true
        current.body.wipe()
        request = current
      case .status: end(.network(try SecureNetworkState.decode(body)), context)
      case .forget, .identify:
        guard body.isEmpty else { throw ByteCodingError.invalidValue(field: "a response") }
        end(.done, context)
      case .information: end(.information(try SecureDeviceInformation.decode(body)), context)
      case .hostname:
        guard let name = String(validating: body, as: UTF8.self) else {
          throw ByteCodingError.invalidValue(field: "a host name")
        }
        end(.hostname(name), context)
      case .custom: end(.response(body), context)
      case .name: throw ByteCodingError.invalidValue(field: "a response")
      }
    } catch {
      fail(.malformed("\(error)"))
    }
  }

  /// The device says what its network is doing. Outside of a join it says so for the user's information.
  mutating func pushed(_ state: NetworkState, _ context: AppContext) {
    guard var current = request, current.isJoin else { return report(.network(state)) }
    switch state {
    case .idle: break
    case .connecting:
      current.hasBegun = true
      request = current
      report(.network(state))
    case .connected, .failed:
      // Of an attempt before this one, if this one has not begun.
      guard current.isAccepted || current.hasBegun else { return }
      end(.network(state), context)
    }
  }

  private mutating func scanned(_ page: SecureScanPage, _ context: AppContext) throws(ByteCodingError) {
    guard var current = request, page.start == current.networks.count else {
      throw .invalidValue(field: "a page's start")
    }
    current.networks += page.networks
    guard current.networks.count < page.total else { return end(.networks(current.networks), context) }
    current.body = [UInt8(truncatingIfNeeded: current.networks.count)]
    request = current
    sendRequest(context)
  }

  /// The machine's own request has its answer, whatever that says: a request that has come meanwhile is next.
  private mutating func endOwn(_ context: AppContext) {
    request = nil
    wait(nil, context)
    guard let waiting = waitingRequest else { return }
    waitingRequest = nil
    perform(waiting, context: context)
  }

  private mutating func end(_ event: AppEvent, _ context: AppContext) {
    request = nil
    wait(nil, context)
    report(event)
  }
}
