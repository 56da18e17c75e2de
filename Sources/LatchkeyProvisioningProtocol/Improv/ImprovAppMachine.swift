/// An app's end of Improv, for one connection.
///
/// What the device says is neither secret nor authenticated. A request to join, or to set a name, waits for somebody at the
/// device if the device says that it needs one.
package struct ImprovAppMachine: ProvisioningAppMachine {
  enum Phase: Sendable {
    case created
    /// Subscribing to what is left of the list, then reading capabilities and state.
    case opening(left: [String])
    case open
    case over
  }

  /// The request under way.
  struct Request: Sendable {
    enum Step: Sendable {
      /// Nobody has acted at the device yet.
      case waiting
      case sent
      /// The device joins the network.
      case joining
      /// The device has joined the network, and may still say where its page is.
      case joined
    }

    let request: AppRequest
    /// What is sent, and whose result ends it; nil: the state is read.
    let command: ImprovCommand?
    var step: Step
    var deadline: Duration
  }

  static let openingLimit = Duration.seconds(15)
  static let authorizationLimit = Duration.seconds(120)
  /// Devices take 30 s to a minute.
  static let joiningLimit = Duration.seconds(90)
  static let scanLimit = Duration.seconds(30)
  static let commandLimit = Duration.seconds(10)
  /// How long the result may come after the state that says the same.
  static let resultLimit = Duration.seconds(2)

  var phase = Phase.created
  var request: Request?
  var capabilities: ImprovCapabilities = []
  var state = ImprovState.stopped
  private var openingDeadline: Duration?
  private var hasCapabilities = false
  private var writesWithResponse = true
  /// Commands whose results came too late: one of each is no answer to the next command.
  var abandoned: Set<UInt8> = []
  /// The network that the device joined in this session.
  var joinedNetwork: [UInt8]?
  var actions: [AppAction] = []

  package init() {}

  package var nextDeadline: Duration? { openingDeadline ?? request?.deadline }

  package mutating func dequeueActions() -> [AppAction] {
    defer { actions = [] }
    return actions
  }

  package mutating func begin(_ service: ProvisioningService, context: AppContext) {
    guard case .created = phase else { return }
    var found: [String: ProvisioningCharacteristic.Properties] = [:]
    for characteristic in service.characteristics { found[characteristic.uuid] = characteristic.properties }
    let notified = [ImprovService.state, ImprovService.error, ImprovService.result]
    guard let command = found[ImprovService.command], notified.allSatisfy({ found[$0]?.contains(.notify) == true })
    else {
      return end(.unsupported("a characteristic of Improv"))
    }
    writesWithResponse = command.contains(.write)
    hasCapabilities = found[ImprovService.capabilities] != nil
    openingDeadline = context.now + Self.openingLimit
    phase = .opening(left: notified)
    actions.append(.subscribe(notified[0]))
  }

  package mutating func handle(_ input: AppInput, context: AppContext) {
    switch (phase, input) {
    case (.created, _), (.over, _): break
    case (_, .notified(ImprovService.state, let value)): stateChanged(value, context)
    case (_, .notified(ImprovService.error, let value)): errorChanged(value)
    case (_, .notified(ImprovService.result, let value)): resultCame(value)
    case (.opening(let left), .subscribed(let characteristic)) where left.first == characteristic:
      let left = Array(left.dropFirst())
      phase = .opening(left: left)
      let isCapable = hasCapabilities ? ImprovService.capabilities : ImprovService.state
      actions.append(left.first.map(AppAction.subscribe) ?? .read(isCapable))
    case (.opening, .subscriptionFailed(_, let failure)): end(Self.failure(failure))
    case (.opening(left: []), .read(ImprovService.capabilities, let value)):
      guard let first = value.first else { return end(.malformed("capabilities without a byte")) }
      capabilities = ImprovCapabilities(rawValue: first)
      actions.append(.read(ImprovService.state))
    // A device that does not say what it can do can join networks.
    case (.opening(left: []), .readFailed(ImprovService.capabilities, _)): actions.append(.read(ImprovService.state))
    case (.opening(left: []), .read(ImprovService.state, let value)): opened(value)
    case (.opening, .readFailed(_, let failure)): end(Self.failure(failure))
    case (.open, .read(ImprovService.state, let value)): statusCame(value)
    case (.open, .readFailed(ImprovService.state, let failure)):
      if let request, request.command == nil { finish(.requestFailed(Self.failure(failure))) }
    case (.open, .wrote(ImprovService.command)):
      if request?.command == .identify { finish(.done) }
    case (.open, .writeFailed(ImprovService.command, let failure)):
      if let request, request.step != .waiting { finish(.requestFailed(Self.failure(failure))) }
    default: break
    }
  }

  package mutating func handleTimeout(context: AppContext) {
    if let openingDeadline, context.now >= openingDeadline { return end(.timedOut) }
    guard let request, context.now >= request.deadline else { return }
    switch request.step {
    case .waiting: finish(.requestFailed(.notAuthorized))
    case .joined: joined(page: nil)
    case .sent, .joining:
      if let command = request.command { abandoned.insert(command.rawValue) }
      finish(.requestFailed(.timedOut))
    }
  }

  /// A device that has joined stops its service, often before its result or in place of it.
  package mutating func disconnected(context: AppContext) {
    if request?.step == .joined { joined(page: nil) }
    phase = .over
    openingDeadline = nil
    request = nil
  }

  private mutating func opened(_ value: [UInt8]) {
    guard let state = Self.state(value) else { return end(.malformed("a state that there is not")) }
    switch state {
    case .stopped: return end(.refused("Improv has stopped"))
    case .provisioning: return end(.busy)
    case .authorizationRequired, .authorized, .provisioned: break
    }
    self.state = state
    phase = .open
    openingDeadline = nil
    var offered: ProvisioningCapabilities = []
    if capabilities.contains(.scan) { offered.insert(.scan) }
    if capabilities.contains(.identify) { offered.insert(.identify) }
    if capabilities.contains(.information) { offered.insert(.information) }
    if capabilities.contains(.hostname) { offered.insert(.hostname) }
    actions.append(.report(.opened(.none, offered)))
  }

  /// Ends the session.
  mutating func end(_ failure: ProvisioningFailure) {
    phase = .over
    openingDeadline = nil
    request = nil
    actions.append(.report(.failed(failure)))
  }

  /// Ends the request.
  mutating func finish(_ event: AppEvent) {
    request = nil
    actions.append(.report(event))
  }

  /// Writes a command: with response as one value, else in pieces, which the length byte joins.
  mutating func write(_ frame: ImprovFrame, _ context: AppContext) {
    let bytes = frame.encoded
    guard !writesWithResponse else { return actions.append(.write(ImprovService.command, bytes, withResponse: true)) }
    let step = max(context.writeLimit, 1)
    for start in stride(from: 0, to: bytes.count, by: step) {
      let piece = Array(bytes[start..<min(start + step, bytes.count)])
      actions.append(.write(ImprovService.command, piece, withResponse: false))
    }
    if frame.command == ImprovCommand.identify.rawValue { finish(.done) }
  }

  static func state(_ value: [UInt8]) -> ImprovState? {
    value.count == 1 ? ImprovState(rawValue: value[0]) : nil
  }

  static func failure(_ failure: AccessFailure) -> ProvisioningFailure {
    switch failure {
    case .attribute(let code): .refused("error \(code) of the Attribute Protocol")
    case .other(let words): .refused(words)
    }
  }
}
