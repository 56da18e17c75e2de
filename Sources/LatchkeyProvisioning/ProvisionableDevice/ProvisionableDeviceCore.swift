import Foundation
import LatchkeyProvisioningProtocol

/// A device without a radio, a disk or a network: the machines of its protocols, and the policy above them.
///
/// The policy: a device that offers the secure protocol lets a weaker one in only after somebody has acted at it, and within
/// that act's time; tries with a code are counted over all protocols, and stored before anything that depends on them is sent;
/// one attempt to join a network is under way at a time.
struct ProvisionableDeviceCore {
  /// The times of the policy.
  struct Rules: Sendable {
    /// How long an act at the device holds.
    var pressWindow = Duration.seconds(120)
    /// How long a device that was never provisioned lets unknown apps in after its start; nil: always.
    var pairingWindow: Duration? = .seconds(900)
    /// Whether an act at the device is needed even where no stronger protocol is offered.
    var needsPress = false
    /// How long an attempt to join may take.
    var joinLimit = Duration.seconds(90)
    /// Whether two services can be advertised beside the device's name.
    var isNameShort = false
  }

  /// What the shell performs, in order.
  enum Action: Sendable {
    case respond(ProvisioningLink, error: UInt8?)
    case notify(ProvisioningLink, characteristic: String, [UInt8])
    /// Work that is not `join`; `completed(_:_:now:)` ends it.
    case work(Int, DeviceWork)
    /// Attempt this; `joinEnded(_:_:now:)` ends it.
    case join(Int, NetworkCredentials)
    /// Give up the attempt: it took too long.
    case cancelJoin
    /// Advertise this, and nothing else; nil: nothing.
    case advertise(DeviceAdvertisement?)
    /// Store the state; if that fails, `storingFailed` and no action after it.
    case store(ProvisionableDeviceState)
    case report(ProvisionableDeviceEvent)
  }

  private struct Link {
    let central: UUID
    var notificationLimit = 20
    /// The protocols that let this link in while their door was open: a door that closes ends nothing that has begun.
    var admitted: Set<ProvisioningProtocol> = []
    /// The protocols whose refusal was reported: one line for a link that knocks a thousand times.
    var refused: Set<ProvisioningProtocol> = []
  }

  /// The number of links that are remembered; the one that was quiet longest makes room.
  static let maximumLinks = 64
  /// How long each of several advertisements is on the air.
  static let rotationInterval = Duration.seconds(1)
  private static let insufficientAuthorization: UInt8 = 0x08
  private static let unlikelyError: UInt8 = 0x0E

  let rules: Rules
  private(set) var machines: [(kind: ProvisioningProtocol, machine: any ProvisioningDeviceMachine)]
  private var attempts: AttemptBudget
  private var network = NetworkState.idle
  private var state: ProvisionableDeviceState
  private var stored: ProvisionableDeviceState
  private var isStoreBroken = false
  private var pairingEnd: Duration?
  private var pressedUntil: Duration?
  private var links: [ProvisioningLink: Link] = [:]
  private var linkOrder: [ProvisioningLink] = []
  private var works: [Int: (machine: Int, number: Int, forgets: Bool)] = [:]
  private var nextWork = 0
  private var joinNumber = 0
  private var joinDeadline: Duration?
  private var advertised: DeviceAdvertisement?
  private var hasAdvertised = false
  private var rotation = 0
  private var rotationDeadline: Duration?
  private var actions: [Action] = []
  /// What was true when the machines were told last.
  private var toldAuthorization: (isAuthorized: Bool, isPairing: Bool)

  init(
    machines: [(kind: ProvisioningProtocol, machine: any ProvisioningDeviceMachine)], state: ProvisionableDeviceState,
    rules: Rules, now: Duration
  ) {
    self.machines = machines
    self.state = state
    self.rules = rules
    stored = state
    attempts = AttemptBudget(record: .init(failures: state.failedAttempts), now: now)
    pairingEnd = rules.pairingWindow.map { now + $0 }
    toldAuthorization = (false, false)
    toldAuthorization = (isAuthorized(now), isPairing(now))
  }

  /// The services that the device has.
  var services: [ProvisioningService] { machines.map(\.machine.service) }

  /// When `handleTimeout(now:)` is due.
  var nextDeadline: Duration? {
    let own = [rotationDeadline, pressedUntil, joinDeadline, pairingDeadline]
    return (own + machines.map(\.machine.nextDeadline)).compactMap(\.self).min()
  }

  /// When unknown apps are no longer let in, while they are for the time since the start.
  private var pairingDeadline: Duration? {
    toldAuthorization.isPairing && !state.isProvisioned && pressedUntil == nil ? pairingEnd : nil
  }

  // MARK: Inputs

  /// The services are up: begins to advertise.
  mutating func started(now: Duration) {
    hasAdvertised = false
    advertised = nil
    advertise(now)
  }

  /// A central's first sign of life on a new link.
  mutating func connected(_ link: ProvisioningLink, central: UUID, notificationLimit: Int, now: Duration) {
    if links[link] == nil {
      if links.count >= Self.maximumLinks, let oldest = linkOrder.first { disconnected(oldest, now: now) }
      links[link] = Link(central: central)
    }
    linkOrder.removeAll { $0 == link }
    linkOrder.append(link)
    links[link]?.notificationLimit = notificationLimit
  }

  mutating func disconnected(_ link: ProvisioningLink, now: Duration) {
    for index in machines.indices {
      with(index, now) { machine, context in machine.disconnected(link, context: &context) }
    }
    links[link] = nil
    linkOrder.removeAll { $0 == link }
    finish(now)
  }

  mutating func write(_ value: [UInt8], to characteristic: String, from link: ProvisioningLink, now: Duration) {
    retryStore()
    guard let index = machineIndex(of: characteristic) else {
      actions.append(.respond(link, error: 0x03))
      return
    }
    let kind = machines[index].kind
    guard !isStoreBroken else {
      actions.append(.respond(link, error: Self.unlikelyError))
      return
    }
    guard admits(kind, link, now) else {
      actions.append(.respond(link, error: Self.insufficientAuthorization))
      if links[link]?.refused.insert(kind).inserted == true {
        report(.refused(kind, central: central(of: link), Self.closedDoor))
      }
      return
    }
    with(index, now) { machine, context in
      machine.write(value, to: characteristic, from: link, context: &context)
    }
    finish(now)
  }

  /// The value that answers a read.
  mutating func read(
    _ characteristic: String, from link: ProvisioningLink, now: Duration
  ) -> Result<[UInt8], ATTFailure> {
    // Some protocols begin with a read: nobody would write before it works.
    retryStore()
    guard let index = machineIndex(of: characteristic) else { return .failure(ATTFailure(code: 0x02)) }
    guard !isStoreBroken else { return .failure(ATTFailure(code: Self.unlikelyError)) }
    guard admits(machines[index].kind, link, now) else {
      return .failure(ATTFailure(code: Self.insufficientAuthorization))
    }
    var result = Result<[UInt8], ATTFailure>.success([])
    with(index, now) { machine, context in
      do throws(ATTFailure) {
        result = .success(try machine.read(characteristic, from: link, context: &context))
      } catch {
        result = .failure(error)
      }
    }
    finish(now)
    return result
  }

  mutating func subscribed(
    _ isSubscribed: Bool, to characteristic: String, from link: ProvisioningLink, now: Duration
  ) {
    guard let index = machineIndex(of: characteristic) else { return }
    with(index, now) { machine, context in
      machine.subscribed(isSubscribed, to: characteristic, from: link, context: &context)
    }
    finish(now)
  }

  /// Somebody has acted at the device: pressed its button, say. Tries with a code are counted from zero again.
  mutating func press(now: Duration) {
    pressedUntil = now + rules.pressWindow
    attempts.reset()
    report(.pressed(for: rules.pressWindow))
    tellMachines(now)
    finish(now)
  }

  mutating func completed(_ number: Int, _ result: DeviceWorkResult, now: Duration) {
    guard let work = works.removeValue(forKey: number) else { return }
    var result = result
    if case .networks(let networks) = result { result = .networks(Self.presentable(networks)) }
    if work.forgets, case .done = result {
      network = .idle
      state.isProvisioned = false
    }
    with(work.machine, now) { machine, context in machine.completed(work.number, result, context: &context) }
    if work.forgets { tellMachines(now) }
    finish(now)
  }

  /// The attempt to join has ended; one that was given up before is ignored.
  mutating func joinEnded(_ number: Int, _ result: Result<JoinedNetwork, JoinFailure>, now: Duration) {
    guard number == joinNumber, joinDeadline != nil else { return }
    joinDeadline = nil
    switch result {
    case .success(let joined):
      network = .connected(joined)
      state.isProvisioned = true
      report(.joined(joined))
    case .failure(let failure):
      network = .failed(failure)
      report(.joinFailed(failure))
    }
    tellMachines(now)
    finish(now)
  }

  mutating func handleTimeout(now: Duration) {
    if let pressedUntil, now >= pressedUntil {
      self.pressedUntil = nil
      report(.pressEnded)
    }
    if let joinDeadline, now >= joinDeadline {
      actions.append(.cancelJoin)
      joinEnded(joinNumber, .failure(.timedOut), now: now)
    }
    if toldAuthorization != (isAuthorized(now), isPairing(now)) { tellMachines(now) }
    for index in machines.indices {
      guard let deadline = machines[index].machine.nextDeadline, now >= deadline else { continue }
      with(index, now) { machine, context in machine.handleTimeout(context: &context) }
    }
    if let rotationDeadline, now >= rotationDeadline {
      rotation += 1
      self.rotationDeadline = nil
    }
    finish(now)
  }

  /// The state could not be stored: nobody is let in until it can.
  mutating func storingFailed(_ reason: String) {
    if !isStoreBroken { report(.notStored(reason)) }
    isStoreBroken = true
  }

  mutating func storingSucceeded() { isStoreBroken = false }

  /// The actions since the last call, in order.
  mutating func dequeueActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  // MARK: The policy

  private var offersSecure: Bool { machines.contains { $0.kind == .secure } }

  private func isPressed(_ now: Duration) -> Bool { pressedUntil.map { now < $0 } ?? false }

  private func isAuthorized(_ now: Duration) -> Bool {
    guard rules.needsPress || offersSecure else { return true }
    return isPressed(now)
  }

  private func isPairing(_ now: Duration) -> Bool {
    guard let pairingEnd else { return true }
    return isPressed(now) || (!state.isProvisioned && now < pairingEnd)
  }

  private static let closedDoor = "it would need somebody to act at the device first"

  /// Whether a protocol lets new links in. Improv's machine says so by itself: its devices show that they wait for a button.
  private func isOpen(_ kind: ProvisioningProtocol, _ now: Duration) -> Bool {
    switch kind {
    case .secure, .improv: true
    case .espressif, .legacy: isAuthorized(now) && isPairing(now)
    }
  }

  private mutating func admits(_ kind: ProvisioningProtocol, _ link: ProvisioningLink, _ now: Duration) -> Bool {
    if links[link]?.admitted.contains(kind) == true { return true }
    guard isOpen(kind, now) else { return false }
    links[link]?.admitted.insert(kind)
    return true
  }

  // MARK: Machines

  private func machineIndex(of characteristic: String) -> Int? {
    machines.firstIndex { $0.machine.service.characteristics.contains { $0.uuid == characteristic } }
  }

  private func central(of link: ProvisioningLink) -> UUID {
    links[link]?.central ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }

  private func context(_ now: Duration) -> DeviceContext {
    DeviceContext(
      now: now, attempts: attempts, network: network, isAuthorized: isAuthorized(now), isPairing: isPairing(now),
      notificationLimits: links.mapValues(\.notificationLimit))
  }

  private mutating func with(
    _ index: Int, _ now: Duration, _ body: (inout any ProvisioningDeviceMachine, inout DeviceContext) -> Void
  ) {
    var context = context(now)
    body(&machines[index].machine, &context)
    let wasLocked = attempts.verdict(now: now) == .locked
    attempts = context.attempts
    for action in machines[index].machine.dequeueActions() { take(action, of: index, now) }
    if !wasLocked, attempts.verdict(now: now) == .locked { report(.locked) }
  }

  private mutating func take(_ action: DeviceAction, of index: Int, _ now: Duration) {
    let kind = machines[index].kind
    switch action {
    case .respond(let link, let error): actions.append(.respond(link, error: error))
    case .notify(let link, let characteristic, let value):
      actions.append(.notify(link, characteristic: characteristic, value))
    case .perform(let number, .join(let credentials)): beginJoin(credentials, of: index, number, now)
    case .perform(let number, .forget) where !isJoined: forgetAttempt(of: index, number, now)
    case .perform(let number, let work):
      nextWork += 1
      var forgets = false
      if case .forget = work { forgets = true }
      works[nextWork] = (index, number, forgets)
      if case .identify = work { report(.identify) }
      actions.append(.work(nextWork, work))
    case .advertise: break  // What is advertised is compared after each input.
    case .report(.opened(let link, let assurance)):
      report(.opened(kind, central: central(of: link), assurance))
    case .report(.refused(let link, let words)):
      if links[link]?.refused.insert(kind).inserted ?? true {
        report(.refused(kind, central: central(of: link), words))
      }
    case .report(.wrongCode(let link)):
      let left = max(0, AttemptBudget.limit - attempts.record.failures)
      report(.wrongCode(kind, central: central(of: link), attemptsLeft: left))
    case .report(.closed(let link)): report(.closed(kind, central: central(of: link)))
    }
  }

  private var isJoined: Bool {
    if case .connected = network { true } else { false }
  }

  /// An attempt that failed has left nothing behind but its state: nobody else need be asked.
  private mutating func forgetAttempt(of index: Int, _ number: Int, _ now: Duration) {
    let isJoining = network == .connecting
    if !isJoining { network = .idle }
    with(index, now) { machine, context in
      machine.completed(number, isJoining ? .failed(.busy) : .done, context: &context)
    }
    if !isJoining { tellMachines(now) }
  }

  private mutating func beginJoin(_ credentials: NetworkCredentials, of index: Int, _ number: Int, _ now: Duration) {
    let result: DeviceWorkResult
    if network == .connecting {
      result = .failed(.busy)
    } else {
      network = .connecting
      joinNumber += 1
      joinDeadline = now + rules.joinLimit
      actions.append(.join(joinNumber, credentials))
      report(.joining(ssid: credentials.ssid))
      result = .done
    }
    with(index, now) { machine, context in machine.completed(number, result, context: &context) }
    if case .done = result { tellMachines(now) }
  }

  /// Tells all machines that what they share has changed.
  private mutating func tellMachines(_ now: Duration) {
    toldAuthorization = (isAuthorized(now), isPairing(now))
    for index in machines.indices {
      with(index, now) { machine, context in machine.changed(context: &context) }
    }
  }

  /// The networks for a user: the strongest of each name, strongest first, without those that hide their names.
  static func presentable(_ networks: [ScannedNetwork]) -> [ScannedNetwork] {
    var seen: Set<[UInt8]> = []
    return
      networks.filter { (1...32).contains($0.ssid.count) && $0.ssid.contains { $0 != 0 } }
      .sorted { $0.rssi > $1.rssi }
      .filter { seen.insert($0.ssid).inserted }
  }

  // MARK: What follows each input

  private mutating func report(_ event: ProvisionableDeviceEvent) { actions.append(.report(event)) }

  private mutating func retryStore() {
    if isStoreBroken { actions.append(.store(state)) }
  }

  private mutating func finish(_ now: Duration) {
    state.failedAttempts = attempts.record.failures
    if let tickets = machines.lazy.compactMap(\.machine.storedState).first { state.tickets = Data(tickets) }
    if state != stored {
      stored = state
      actions.insert(.store(state), at: 0)
    }
    advertise(now)
  }

  private mutating func advertise(_ now: Duration) {
    let open = machines.filter { $0.machine.isAdvertised && isOpen($0.kind, now) }
    let choices = DeviceAdvertisement.turns(of: open, isNameShort: rules.isNameShort)
    let choice = choices.isEmpty ? nil : choices[rotation % choices.count]
    if choices.count < 2 {
      rotationDeadline = nil
    } else if rotationDeadline == nil {
      rotationDeadline = now + Self.rotationInterval
    }
    guard choice != advertised || !hasAdvertised else { return }
    hasAdvertised = true
    advertised = choice
    actions.append(.advertise(choice))
  }
}
