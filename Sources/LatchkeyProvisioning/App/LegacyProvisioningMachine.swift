import CoreBluetooth
import LatchkeyProvisioningProtocol

/// The app's side of one exchange, from the search to the end of the link, without a radio. Its inputs are the events of Core
/// Bluetooth, its outputs are the actions that Core Bluetooth performs.
///
/// Perform the actions in their order, and call `handleTimeout(now:)` at `nextDeadline`. After `finish` there are no actions.
struct LegacyProvisioningMachine: ~Copyable {
  /// An event.
  enum Input: Sendable {
    /// The manager's state, and why its controller was lost last.
    case state(CBManagerState, cause: String? = nil)
    case found(UUID, name: String?)
    case connected
    case connectionFailed(String)
    case disconnected
    case services([LegacyService])
    case discoveryFailed(String)
    case characteristics([LegacyCharacteristic: CBCharacteristicProperties])
    case subscribed
    case subscriptionFailed(AccessFailure)
    /// The device accepted the bytes of the last `send`, in this number of values.
    case sent(values: Int)
    case sendFailed(AccessFailure)
    /// The uncut value of the last `send` is longer than the characteristic accepts.
    case payloadTooLong(maximum: Int)
    /// A value was notified or read; a notification of `limit` bytes may be the beginning of a longer value.
    case value([UInt8], limit: Int)
    case readFailed(AccessFailure)
    case cancelled
  }

  /// How an access to a characteristic failed.
  enum AccessFailure: Sendable {
    case attribute(UInt8)
    case other(String)
  }

  /// An action to perform.
  enum Action: Equatable, Sendable {
    case scan
    case stopScan
    case connect(UUID)
    case discoverServices([LegacyService])
    case discoverCharacteristics(LegacyService)
    case subscribe
    /// Write to the request characteristic, cut into values as short as the link needs; or, if `uncut`, as one value.
    case send([UInt8], uncut: Bool)
    case read
    case cancelConnection(UUID)
    case report(LegacyUnauthenticatedProgress)
    case finish(Result<LegacyUnauthenticatedResult, LegacyProvisioningError>)
  }

  enum Phase {
    case starting
    case searching
    case connecting(UUID)
    case discoveringServices(UUID)
    case discoveringCharacteristics(UUID)
    case subscribing(UUID)
    case exchanging(UUID)
    case closing(Result<LegacyUnauthenticatedResult, LegacyProvisioningError>)
    case finished
  }

  /// The time for a canceled connection to end; the radio's own timers end it at the latest.
  private static let closeTimeout = Duration.seconds(2)
  /// The least time for the radio to be on, however short the search: a manager reports its state some milliseconds after its
  /// creation.
  private static let radioTimeout = Duration.seconds(1)

  let target: LegacyProvisioningTarget
  let options: LegacyProvisioningOptions
  var exchange: LegacyExchange
  private(set) var phase = Phase.starting
  private(set) var deadline: Duration?
  private let searchEnd: Duration
  var actions: [Action] = []

  init(
    target: LegacyProvisioningTarget, payload: String, options: LegacyProvisioningOptions,
    privateKey: consuming Secp192k1.PrivateKey, now: Duration
  ) {
    self.target = target
    self.options = options
    exchange = LegacyExchange(payload: payload, privateKey: privateKey)
    searchEnd = now + options.searchTimeout
    deadline = max(searchEnd, now + Self.radioTimeout)
  }

  /// When `handleTimeout(now:)` is due: set until `finish`.
  var nextDeadline: Duration? {
    guard case .exchanging = phase else { return deadline }
    return [deadline, exchange.nextDeadline].compactMap(\.self).min()
  }

  /// Whether advertisements are examined.
  var isSearching: Bool {
    if case .searching = phase { return true }
    return false
  }

  /// Handles an event and returns the actions to perform.
  mutating func handle(_ input: Input, now: Duration) -> [Action] {
    switch (phase, input) {
    case (.finished, _): break
    case (.closing(let result), .disconnected): finish(result)
    case (.closing(let result), .state(let state, _)) where state != .poweredOn: finish(result)
    case (.closing, _): break
    case (_, .cancelled): fail(.cancelled, now: now)
    case (_, .state(let state, let cause)): stateChanged(to: state, cause: cause, now: now)
    case (.searching, .found(let peripheral, let name)): connectIfTarget(peripheral, name: name, now: now)
    case (.connecting(let peripheral), .connected):
      actions.append(.report(.connected))
      actions.append(.discoverServices(options.allowsPlainService ? [.encrypted, .plain] : [.encrypted]))
      enter(.discoveringServices(peripheral), deadline: now + options.exchangeTimeout)
    case (.connecting, .connectionFailed(let reason)): finish(.failure(.connectionFailed(reason)))
    case (.searching, .disconnected), (.starting, .disconnected): break
    case (_, .disconnected): linkLost()
    case (.discoveringServices(let peripheral), .services(let found)):
      chooseService(from: found, of: peripheral, now: now)
    case (.discoveringCharacteristics(let peripheral), .characteristics(let found)):
      examineCharacteristics(found, of: peripheral, now: now)
    case (.discoveringServices, .discoveryFailed(let reason)),
      (.discoveringCharacteristics, .discoveryFailed(let reason)):
      fail(.connectionFailed(reason), now: now)
    case (.subscribing(let peripheral), .subscribed):
      actions.append(.report(.subscribed))
      begin(with: peripheral, now: now)
    case (.subscribing, .subscriptionFailed(let failure)): fail(.access(failure, exchange.service.answer), now: now)
    // A device that sends first may do so before the response to the subscription arrives.
    case (.subscribing, .value), (.exchanging, .value), (.exchanging, .sent), (.exchanging, .sendFailed),
      (.exchanging, .readFailed), (.exchanging, .payloadTooLong):
      apply(exchange.handle(input, now: now), now: now)
    default: break
    }
    return dequeueActions()
  }

  /// Handles a deadline that has passed, and returns the actions to perform.
  mutating func handleTimeout(now: Duration) -> [Action] {
    if case .exchanging = phase { apply(exchange.handleTimeout(now: now), now: now) }
    guard let deadline, now >= deadline else { return dequeueActions() }
    switch phase {
    case .starting: fail(.timedOut(during: .startingRadio), now: now)
    case .searching: fail(.notFound, now: now)
    case .closing(let result): finish(result)
    case .exchanging(let peripheral) where exchange.isAccepted: conclude(peripheral, now: now)
    case .connecting, .discoveringServices, .discoveringCharacteristics, .subscribing, .exchanging:
      fail(.timedOut(during: step), now: now)
    case .finished: break
    }
    return dequeueActions()
  }

  // MARK: Steps

  private mutating func stateChanged(to state: CBManagerState, cause: String?, now: Duration) {
    switch (phase, state) {
    case (.starting, .poweredOn):
      actions.append(.report(.searching))
      actions.append(.scan)
      enter(.searching, deadline: searchEnd)
    case (_, .poweredOn), (.starting, .unknown), (.starting, .resetting): break
    // Links and scans ended with the radio: there is nothing to cancel.
    default: finish(.failure(.radioUnavailable(state.name, cause: cause)))
    }
  }

  private mutating func connectIfTarget(_ peripheral: UUID, name: String?, now: Duration) {
    switch target {
    case .name(let wanted): guard name == wanted else { return }
    case .identifier(let wanted): guard peripheral == wanted else { return }
    }
    actions.append(.stopScan)
    actions.append(.report(.found(name: name, peripheral)))
    actions.append(.connect(peripheral))
    enter(.connecting(peripheral), deadline: now + options.connectTimeout)
  }

  private mutating func chooseService(from services: [LegacyService], of peripheral: UUID, now: Duration) {
    if services.contains(.encrypted) {
      exchange.service = .encrypted
    } else if options.allowsPlainService, services.contains(.plain) {
      exchange.service = .plain
    } else {
      return fail(.serviceMissing(.encrypted), now: now)
    }
    actions.append(.discoverCharacteristics(exchange.service))
    enter(.discoveringCharacteristics(peripheral), deadline: deadline)
  }

  private mutating func examineCharacteristics(
    _ found: [LegacyCharacteristic: CBCharacteristicProperties], of peripheral: UUID, now: Duration
  ) {
    let service = exchange.service
    guard let request = found[service.request] else { return fail(.characteristicMissing(service.request), now: now) }
    guard let answer = found[service.answer] else { return fail(.characteristicMissing(service.answer), now: now) }
    guard !request.isDisjoint(with: [.write, .writeWithoutResponse]) else {
      return fail(.propertyMissing(service.request, anyOf: ["write", "writeWithoutResponse"]), now: now)
    }
    exchange.canReadAnswers = answer.contains(.read)
    exchange.isNotified = !answer.isDisjoint(with: [.notify, .indicate])
    guard exchange.isNotified || exchange.canReadAnswers else {
      return fail(.propertyMissing(service.answer, anyOf: ["notify", "indicate", "read"]), now: now)
    }
    actions.append(.report(.discovered(service)))
    guard exchange.isNotified else { return begin(with: peripheral, now: now) }
    actions.append(.subscribe)
    enter(.subscribing(peripheral), deadline: deadline)
  }

  private mutating func begin(with peripheral: UUID, now: Duration) {
    enter(.exchanging(peripheral), deadline: deadline)
    apply(exchange.begin(now: now), now: now)
  }

  /// Applies the outputs of the exchange.
  private mutating func apply(_ outputs: [LegacyExchange.Output], now: Duration) {
    for output in outputs {
      // None while closing, and when finished.
      guard let peripheral else { return }
      switch output {
      case .action(let action): actions.append(action)
      case .accepted: deadline = min(deadline ?? .zero, now + options.statusTimeout)
      case .concluded: conclude(peripheral, now: now)
      case .failed(let error): fail(error, now: now)
      }
    }
  }

  // MARK: Ends

  private var step: LegacyProvisioningError.Step {
    switch phase {
    case .starting: .startingRadio
    case .searching: .searching
    case .connecting: .connecting
    case .discoveringServices, .discoveringCharacteristics: .discovering
    case .subscribing: .subscribing
    case .exchanging, .closing, .finished: exchange.step
    }
  }

  private var peripheral: UUID? {
    switch phase {
    case .connecting(let peripheral), .discoveringServices(let peripheral), .discoveringCharacteristics(let peripheral),
      .subscribing(let peripheral), .exchanging(let peripheral):
      peripheral
    case .starting, .searching, .closing, .finished: nil
    }
  }

  private mutating func linkLost() {
    // A device that accepted the payload may restart to join the network.
    if case .exchanging(let peripheral) = phase, exchange.isAccepted {
      return finish(.success(exchange.result(from: peripheral)))
    }
    finish(.failure(.disconnected(during: step)))
  }

  private mutating func fail(_ error: LegacyProvisioningError, now: Duration) {
    if case .searching = phase { actions.append(.stopScan) }
    guard let peripheral else { return finish(.failure(error)) }
    close(peripheral, .failure(error), now: now)
  }

  private mutating func conclude(_ peripheral: UUID, now: Duration) {
    close(peripheral, .success(exchange.result(from: peripheral)), now: now)
  }

  private mutating func close(
    _ peripheral: UUID, _ result: Result<LegacyUnauthenticatedResult, LegacyProvisioningError>, now: Duration
  ) {
    exchange.end()
    actions.append(.report(.disconnecting))
    actions.append(.cancelConnection(peripheral))
    enter(.closing(result), deadline: now + Self.closeTimeout)
  }

  private mutating func finish(_ result: Result<LegacyUnauthenticatedResult, LegacyProvisioningError>) {
    exchange.end()
    actions.append(.finish(result))
    enter(.finished, deadline: nil)
  }

  private mutating func enter(_ phase: Phase, deadline: Duration?) {
    self.phase = phase
    self.deadline = deadline
  }

  private mutating func dequeueActions() -> [Action] {
    defer { actions = [] }
    return actions
  }
}
