package import LatchkeyBluetoothHost

/// Whole hosts on virtual controllers, with one radio and one virtual clock, on one thread: only time and the air are
/// simulated.
///
/// Each call runs until nothing more happens at the current time; only `advance` and `run` let time pass.
package final class Simulation {
  /// Identifies a host, by its controller.
  package typealias Node = ControllerID
  /// Called for each event of a host instead of storing it; it may give the host inputs.
  package typealias Handler = (inout Host, HostEvent, ClientID, Duration) -> Void

  private final class Station {
    let node: Node
    var host: Host
    var isAttached = true
    var events: [(event: HostEvent, client: ClientID)] = []
    var outcomes: [(request: RequestID, outcome: GATTOutcome)] = []
    var notices: [HostNotice] = []
    var bondChanges: [BondChange] = []
    var handler: Handler?
    var watcher: (([UInt8]) -> Void)?

    init(_ node: Node, _ host: consuming Host) {
      self.node = node
      self.host = host
    }
  }

  /// The simulation's clock; actions scheduled on it fire in between.
  package let clock: VirtualClock
  private var radio: Radio
  private var stations: [Station] = []
  private var packets: [RadioOutput] = []

  /// A simulation without hosts.
  package init(radio configuration: RadioConfiguration = RadioConfiguration(), clock: VirtualClock = VirtualClock()) {
    radio = Radio(configuration: configuration)
    self.clock = clock
  }

  /// The clock's time.
  package var now: Duration { clock.now }

  // MARK: Stations

  /// Adds a host with a controller of its own and starts it.
  ///
  /// - Parameter random: the host's source of random bytes; without it no pairing succeeds.
  package func addHost(
    _ configuration: HostConfiguration, controller: ControllerConfiguration = ControllerConfiguration(),
    random: @escaping @Sendable (Int) -> [UInt8] = { _ in [] }
  ) -> Node {
    let node = radio.addController(controller)
    let station = Station(node, Host(configuration: configuration, random: random))
    stations.append(station)
    station.host.start(now: now)
    settle()
    return node
  }

  /// Gives a host inputs, or reads its state; then runs everything that follows.
  package func withHost<Value>(_ node: Node, _ body: (inout Host, Duration) throws -> Value) rethrows -> Value? {
    guard let station = station(node) else { return nil }
    defer { settle() }
    return try body(&station.host, now)
  }

  /// Calls the radio; then runs everything that follows.
  package func withRadio<Value>(_ body: (inout Radio, Duration) throws -> Value) rethrows -> Value {
    defer { settle() }
    return try body(&radio, now)
  }

  /// Switches a controller off or on; its host is informed that it is gone, or back.
  package func setPowered(_ isOn: Bool, _ node: Node) {
    withRadio { radio, now in radio.setPowered(isOn, node, now: now) }
  }

  /// Sets a handler for a host's events, instead of storing them for `dequeueEvents(of:)`; nil stores them again.
  package func handleEvents(of node: Node, with handler: Handler?) { station(node)?.handler = handler }

  /// Removes and returns the stored events of a host, in order.
  package func dequeueEvents(of node: Node) -> [(event: HostEvent, client: ClientID)] {
    guard let station = station(node) else { return [] }
    defer { station.events = [] }
    return station.events
  }

  /// Removes and returns the outcome of a procedure; nil while it has none.
  package func dequeueOutcome(_ request: RequestID, of node: Node) -> GATTOutcome? {
    guard let station = station(node), let index = station.outcomes.firstIndex(where: { $0.request == request }) else {
      return nil
    }
    return station.outcomes.remove(at: index).outcome
  }

  /// Removes and returns all stored outcomes of a host's procedures, in order.
  package func dequeueOutcomes(of node: Node) -> [(request: RequestID, outcome: GATTOutcome)] {
    guard let station = station(node) else { return [] }
    defer { station.outcomes = [] }
    return station.outcomes
  }

  /// Removes and returns the stored notices of a host, in order.
  package func dequeueNotices(of node: Node) -> [HostNotice] {
    guard let station = station(node) else { return [] }
    defer { station.notices = [] }
    return station.notices
  }

  /// Removes and returns the changes of a host's bonds, in order.
  package func dequeueBondChanges(of node: Node) -> [BondChange] {
    guard let station = station(node) else { return [] }
    defer { station.bondChanges = [] }
    return station.bondChanges
  }

  /// Shows each packet that a host gives its controller from now on.
  package func watchPackets(of node: Node, _ watcher: @escaping ([UInt8]) -> Void) { station(node)?.watcher = watcher }

  private func station(_ node: Node) -> Station? { stations.first { $0.node == node } }

  // MARK: Time

  /// The time of the next deadline; nil if there is none.
  package var nextDeadline: Duration? {
    var deadlines = stations.compactMap { $0.host.nextDeadline }
    if let deadline = radio.nextDeadline { deadlines.append(deadline) }
    if let deadline = clock.nextDeadline { deadlines.append(deadline) }
    return deadlines.min()
  }

  /// Lets time pass.
  package func advance(by duration: Duration) {
    let target = now + duration
    while let deadline = nextDeadline, deadline <= target { step(to: deadline) }
    clock.advance(to: target)
  }

  /// Lets time pass, from one deadline to the next, until a condition is true.
  ///
  /// - Parameter limit: how much time may pass at most.
  /// - Returns: whether the condition is true in the end.
  package func run(limit: Duration = .seconds(60), until isDone: () -> Bool) -> Bool {
    let target = now + limit
    while !isDone() {
      guard let deadline = nextDeadline, deadline <= target else { return false }
      step(to: deadline)
    }
    return true
  }

  private func step(to deadline: Duration) {
    clock.advance(to: deadline)
    radio.handleTimeout(now: now)
    for station in stations where (station.host.nextDeadline.map { $0 <= now }) ?? false {
      station.host.handleTimeout(now: now)
    }
    settle()
  }

  // MARK: Moving packets

  /// Carries packets back and forth until none is left.
  private func settle() {
    var isMoving = true
    while isMoving {
      isMoving = false
      for station in stations where drain(station) { isMoving = true }
      radio.exchangeOutputs(&packets)
      for output in packets {
        isMoving = true
        switch output {
        case .packet(let packet, let node):
          guard let station = station(node), station.isAttached else { continue }
          station.host.receive(packet, now: now)
        case .power(let isOn, let node):
          guard let station = station(node), station.isAttached != isOn else { continue }
          station.isAttached = isOn
          if isOn { station.host.start(now: now) } else { station.host.stop(now: now) }
        }
      }
    }
  }

  private func drain(_ station: Station) -> Bool {
    var outputs = station.host.dequeueOutputs()
    for index in outputs.indices {
      // Moved out of the list, so that the radio is the packet's only owner and can deliver it without a copy.
      var output = HostOutput.packet([])
      swap(&output, &outputs[index])
      switch consume output {
      case .packet(let packet):
        station.watcher?(packet)
        radio.receive(packet, from: station.node, now: now)
      case .event(let event, let client):
        if let handler = station.handler {
          handler(&station.host, event, client, now)
        } else {
          station.events.append((event, client))
        }
      case .completion(let request, let outcome): station.outcomes.append((request, outcome))
      case .bondChanged(let change): station.bondChanges.append(change)
      case .notice(let notice): station.notices.append(notice)
      }
    }
    return !outputs.isEmpty
  }
}
