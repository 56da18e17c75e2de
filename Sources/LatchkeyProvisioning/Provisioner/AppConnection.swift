import CoreBluetooth
import LatchkeyProvisioningProtocol

/// An app's connection to a device, from the search to the end of the link, without a radio. It chooses the protocol, and passes
/// what happens to that protocol's machine.
struct AppConnection {
  enum Input: Sendable {
    case state(CBManagerState, cause: String?)
    /// The peripheral is known to the manager.
    case found
    case connected
    case connectionFailed(String)
    case disconnected
    case services([String])
    case discoveryFailed(String)
    /// The chosen service, with all that the machine needs of it.
    case discovered(ProvisioningService)
    case link(AppInput)
    /// One at a time: the next follows the answer.
    case request(AppRequest)
    /// The app has what it wanted.
    case close
    case cancel
  }

  enum Action: Sendable {
    case search
    case stopSearch
    case connect
    case discoverServices
    /// Discover the characteristics of a service, with their user descriptions if `describes`.
    case discover(service: String, describes: Bool)
    /// Never `report`.
    case link(AppAction)
    case progress(ProvisioningProgress)
    /// Store this before anything that follows.
    case remember(AppKnowledge)
    case opened(OpenedSession)
    case answer(Result<AppAnswer, ProvisioningFailure>)
    case disconnect
    /// The end: nil if the app closed the session. Nothing follows.
    case finish(ProvisioningFailure?)
  }

  private enum Phase {
    case starting, searching, connecting, discovering, exploring, opening, open, draining
    case closing(ProvisioningFailure?), finished
  }

  typealias MachineMaker = @Sendable (ProvisioningProtocol) throws(ProvisioningFailure) -> any ProvisioningAppMachine

  private static let closeTimeout = Duration.seconds(2)
  private static let radioTimeout = Duration.seconds(1)

  private let device: FoundDevice
  private let options: ProvisionerOptions
  private let isKnownSecure: Bool
  private let makeMachine: MachineMaker
  private var phase = Phase.starting
  private var deadline: Duration?
  private var protocolInUse = ProvisioningProtocol.secure
  private var machine: (any ProvisioningAppMachine)?
  private var request: AppRequest?
  private var actions: [Action] = []
  /// The writes that have no answer yet.
  private var writes = 0
  private var knowledge: AppKnowledge?
  private let searchEnd: Duration

  /// - Parameter isKnownSecure: whether the device is known to speak the secure protocol, by its record or by its code.
  init(
    to device: FoundDevice, options: ProvisionerOptions, isKnownSecure: Bool, now: Duration,
    makeMachine: @escaping MachineMaker
  ) {
    self.device = device
    self.options = options
    self.isKnownSecure = isKnownSecure
    self.makeMachine = makeMachine
    searchEnd = now + options.searchTimeout
    deadline = max(searchEnd, now + Self.radioTimeout)
  }

  var nextDeadline: Duration? { [deadline, machine?.nextDeadline].compactMap(\.self).min() }

  mutating func handle(_ input: Input, context: AppContext) {
    switch (phase, input) {
    case (.finished, _): break
    case (.closing(let failure), .disconnected), (.closing(let failure), .connectionFailed): finish(failure)
    case (.closing(let failure), .state(let state, _)) where state != .poweredOn: finish(failure)
    case (.closing, _): break
    case (_, .cancel): fail(.cancelled, context)
    case (.draining, .link(let input)): drain(input, context)
    case (.draining, .disconnected): finish(nil)
    case (.draining, .close), (.draining, .request): break
    case (.open, .close):
      with(context) { $0.close(context: context) }
      guard case .open = phase else { return }
      enter(.draining, context.now + Self.closeTimeout)
      if writes == 0 { close(nil, context) }
    case (_, .close): close(nil, context)
    case (_, .state(let state, let cause)): stateChanged(state, cause)
    case (.searching, .found):
      actions += [.stopSearch, .progress(.connecting), .connect]
      enter(.connecting, context.now + options.connectTimeout)
    case (.connecting, .connected):
      actions += [.progress(.connected), .discoverServices]
      enter(.discovering, context.now + options.openTimeout)
    case (.connecting, .connectionFailed): finish(.disconnected)
    case (_, .disconnected): linkLost(context)
    case (.discovering, .services(let services)): choose(services, context)
    case (.discovering, .discoveryFailed), (.exploring, .discoveryFailed): fail(.disconnected, context)
    case (.exploring, .discovered(let service)):
      enter(.opening, deadline)
      with(context) { $0.begin(service, context: context) }
    case (.opening, .link(let input)), (.open, .link(let input)):
      count(input)
      with(context) { $0.handle(input, context: context) }
    case (.open, .request(let request)): perform(request, context)
    case (_, .request): actions.append(.answer(.failure(.disconnected)))
    default: break
    }
  }

  mutating func handleTimeout(context: AppContext) {
    if let due = machine?.nextDeadline, context.now >= due { with(context) { $0.handleTimeout(context: context) } }
    guard let deadline, context.now >= deadline else { return }
    switch phase {
    case .starting: finish(.radioUnavailable("unknown", cause: nil))
    case .searching:
      actions.append(.stopSearch)
      finish(.notFound)
    case .closing(let failure): finish(failure)
    case .draining: close(nil, context)
    case .connecting, .discovering, .exploring, .opening, .open: fail(.timedOut, context)
    case .finished: break
    }
  }

  mutating func dequeueActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  // MARK: Steps

  private mutating func stateChanged(_ state: CBManagerState, _ cause: String?) {
    switch (phase, state) {
    case (.starting, .poweredOn):
      actions += [.progress(.searching), .search]
      enter(.searching, searchEnd)
    case (_, .poweredOn), (.starting, .unknown), (.starting, .resetting): break
    default: finish(.radioUnavailable(state.name, cause: cause))
    }
  }

  private mutating func choose(_ services: [String], _ context: AppContext) {
    var offered: [ProvisioningProtocol: String] = [:]
    for service in services {
      switch service {
      case ProvisioningServices.secure: offered[.secure] = service
      case ProvisioningServices.improv: offered[.improv] = service
      case LegacyService.encrypted.rawValue: offered[.legacy] = service
      default:
        let isKnown = ProvisioningServices.espressif.contains(service) || device.espressifServices.contains(service)
        if isKnown { offered[.espressif] = service }
      }
    }
    let names = offered.keys.sorted(by: >)
    if isKnownSecure, offered[.secure] == nil {
      return fail(.insecure("the device is known to speak the secure protocol, and does not offer it now"), context)
    }
    guard let chosen = names.first(where: { options.accepts.contains($0) && (!isKnownSecure || $0 == .secure) }),
      let service = offered[chosen]
    else {
      let words = names.isEmpty ? "none of the services" : names.map(\.name).joined(separator: ", ")
      return fail(names.isEmpty ? .unsupported("it has \(words) of a protocol") : .insecure(words), context)
    }
    do throws(ProvisioningFailure) {
      machine = try makeMachine(chosen)
    } catch {
      return fail(error, context)
    }
    protocolInUse = chosen
    actions.append(.progress(.chosen(chosen, offered: names)))
    actions.append(.discover(service: service, describes: chosen == .espressif))
    enter(.exploring, deadline)
  }

  private mutating func perform(_ request: AppRequest, _ context: AppContext) {
    guard self.request == nil else { return actions.append(.answer(.failure(.busy))) }
    self.request = request
    if case .scan = request { actions.append(.progress(.scanning)) }
    deadline = context.now + options.requestTimeout
    with(context) { $0.perform(request, context: context) }
  }

  // MARK: The machine

  private mutating func with(_ context: AppContext, _ body: (inout any ProvisioningAppMachine) -> Void) {
    guard var machine else { return }
    // Out of its place meanwhile: the machine would be copied otherwise.
    self.machine = nil
    body(&machine)
    let results = machine.dequeueActions()
    if let new = machine.knowledge, new != knowledge {
      knowledge = new
      actions.append(.remember(new))
    }
    self.machine = machine
    for action in results {
      if case .report(let event) = action {
        take(event, context)
      } else {
        if case .write = action { writes += 1 }
        actions.append(.link(action))
      }
    }
  }

  private mutating func count(_ input: AppInput) {
    switch input {
    case .wrote, .writeFailed: writes = max(0, writes - 1)
    case .subscribed, .subscriptionFailed, .notified, .read, .readFailed: break
    }
  }

  /// Waits for the last writes of a session that is closed; what the device sends meanwhile is for nobody.
  private mutating func drain(_ input: AppInput, _ context: AppContext) {
    count(input)
    if writes == 0 { close(nil, context) }
  }

  private mutating func take(_ event: AppEvent, _ context: AppContext) {
    switch (event, request) {
    case (.needsAuthorization, _):
      actions.append(.progress(.needsAuthorization))
      deadline = context.now + options.requestTimeout
    case (.opened(let assurance, let capabilities), _):
      guard case .opening = phase else { return }
      let session = OpenedSession(protocol: protocolInUse, assurance: assurance, capabilities: capabilities)
      actions += [.progress(.opened(assurance)), .opened(session)]
      enter(.open, nil)
    case (.networks(let networks), .scan):
      actions.append(.progress(.scanned(networks.count)))
      answer(.success(.networks(networks)))
    case (.network(.connecting), .join): actions.append(.progress(.joining))
    case (.network(.connected(let joined)), .join):
      actions.append(.progress(.joined(joined)))
      answer(.success(.network(.connected(joined))))
    case (.network(.failed(let failure)), .join):
      actions.append(.progress(.joinFailed(failure)))
      answer(.failure(.joinFailed(failure)))
    case (.network(let state), .status): answer(.success(.network(state)))
    case (.network(.connected(let joined)), _): actions.append(.progress(.joined(joined)))
    case (.network(.failed(let failure)), _): actions.append(.progress(.joinFailed(failure)))
    case (.information(let information), .information): answer(.success(.information(information)))
    case (.hostname(let name), .hostname): answer(.success(.text(name)))
    case (.name(let name), .name): answer(.success(.text(name)))
    case (.response(let bytes), .custom): answer(.success(.bytes(bytes)))
    case (.done, .some): answer(.success(.done))
    case (.requestFailed(let failure), .some): answer(.failure(failure))
    case (.failed(let failure), _): fail(failure, context)
    // What answers no request of ours changes nothing.
    case (.networks, _), (.network, _), (.information, _), (.hostname, _), (.name, _), (.response, _), (.done, nil),
      (.requestFailed, nil):
      break
    }
  }

  private mutating func answer(_ result: Result<AppAnswer, ProvisioningFailure>) {
    request = nil
    deadline = nil
    actions.append(.answer(result))
  }

  // MARK: Ends

  private mutating func linkLost(_ context: AppContext) {
    with(context) { $0.disconnected(context: context) }
    if case .finished = phase { return }
    finish(.disconnected)
  }

  private mutating func fail(_ failure: ProvisioningFailure, _ context: AppContext) { close(failure, context) }

  private mutating func close(_ failure: ProvisioningFailure?, _ context: AppContext) {
    switch phase {
    case .starting: finish(failure)
    case .searching:
      actions.append(.stopSearch)
      finish(failure)
    case .connecting, .discovering, .exploring, .opening, .open, .draining:
      machine = nil
      actions.append(.disconnect)
      enter(.closing(failure), context.now + Self.closeTimeout)
    case .closing, .finished: break
    }
  }

  private mutating func finish(_ failure: ProvisioningFailure?) {
    machine = nil
    if request != nil { answer(.failure(failure ?? .cancelled)) }
    actions += [.progress(.disconnected), .finish(failure)]
    enter(.finished, nil)
  }

  private mutating func enter(_ phase: Phase, _ deadline: Duration?) {
    self.phase = phase
    self.deadline = deadline
  }
}

/// The answer to a request.
enum AppAnswer: Sendable {
  case networks([ScannedNetwork])
  case network(NetworkState)
  case information(DeviceInformation)
  case text(String)
  case bytes([UInt8])
  case done
}
