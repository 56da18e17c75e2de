package import LatchkeyBluetoothHost

/// Whole hosts on virtual controllers, one radio and one virtual clock, on one thread: everything is real but time and
/// the air.
///
/// Whatever is done to it runs until nothing moves any more at this time; only `advance` and `run` let time pass.
package final class Simulation {
  /// Names a host, by its controller.
  package typealias Node = ControllerID
  /// What is called for each event of a host, in place of keeping it; it may give the host inputs.
  package typealias Handler = (inout Host, HostEvent, ClientID, Duration) -> Void

  private final class Station {
    let node: Node
    var host: Host
    var isAttached = true
    var events: [(event: HostEvent, client: ClientID)] = []
    var outcomes: [(request: RequestID, outcome: GATTOutcome)] = []
    var notices: [HostNotice] = []
    var handler: Handler?

    init(_ node: Node, _ host: consuming Host) {
      self.node = node
      self.host = host
    }
  }

  /// Moves with the simulation; actions scheduled on it fire in between.
  package let clock: VirtualClock
  private var radio: Radio
  private var stations: [Station] = []
  private var packets: [RadioOutput] = []

  /// A radio with nobody on it.
  package init(radio configuration: RadioConfiguration = RadioConfiguration(), clock: VirtualClock = VirtualClock()) {
    radio = Radio(configuration: configuration)
    self.clock = clock
  }

  /// What the clock shows.
  package var now: Duration { clock.now }

  // MARK: Stations

  /// Adds a host with a controller of its own and starts it.
  package func addHost(
    _ configuration: HostConfiguration, controller: ControllerConfiguration = ControllerConfiguration()
  ) -> Node {
    let node = radio.addController(controller)
    let station = Station(node, Host(configuration: configuration))
    stations.append(station)
    station.host.start(now: now)
    settle()
    return node
  }

  /// Gives a host inputs, or reads its state; then everything that follows from it happens.
  package func withHost<Value>(_ node: Node, _ body: (inout Host, Duration) throws -> Value) rethrows -> Value? {
    guard let station = station(node) else { return nil }
    defer { settle() }
    return try body(&station.host, now)
  }

  /// Does something to the radio; then everything that follows from it happens.
  package func withRadio<Value>(_ body: (inout Radio, Duration) throws -> Value) rethrows -> Value {
    defer { settle() }
    return try body(&radio, now)
  }

  /// Switches a controller off or on; its host is told that it is gone, or back.
  package func setPowered(_ isOn: Bool, _ node: Node) {
    withRadio { radio, now in radio.setPowered(isOn, node, now: now) }
  }

  /// Has a host's events handled at once, instead of kept for `takeEvents(of:)`; nil keeps them again.
  package func handleEvents(of node: Node, with handler: Handler?) { station(node)?.handler = handler }

  /// The events of a host since they were last taken, in order.
  package func takeEvents(of node: Node) -> [(event: HostEvent, client: ClientID)] {
    guard let station = station(node) else { return [] }
    defer { station.events = [] }
    return station.events
  }

  /// How a procedure ended; nil while it has not. An outcome can be taken once.
  package func takeOutcome(_ request: RequestID, of node: Node) -> GATTOutcome? {
    guard let station = station(node), let index = station.outcomes.firstIndex(where: { $0.request == request }) else {
      return nil
    }
    return station.outcomes.remove(at: index).outcome
  }

  /// The procedures of a host that ended, and were not taken yet, in order: each is to be there once.
  package func takeOutcomes(of node: Node) -> [(request: RequestID, outcome: GATTOutcome)] {
    guard let station = station(node) else { return [] }
    defer { station.outcomes = [] }
    return station.outcomes
  }

  /// What a host had to say for the log since it was last asked, in order.
  package func takeNotices(of node: Node) -> [HostNotice] {
    guard let station = station(node) else { return [] }
    defer { station.notices = [] }
    return station.notices
  }

  private func station(_ node: Node) -> Station? { stations.first { $0.node == node } }

  // MARK: Time

  /// The next time at which anything happens by itself; nil if nothing ever will.
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

  /// Lets time pass, from one deadline to the next, until something holds.
  ///
  /// - Parameter limit: how much time may pass at most.
  /// - Returns: whether it holds in the end.
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

  /// Carries packets to and fro until nobody has any.
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
    var outputs = station.host.takeOutputs()
    for index in outputs.indices {
      // Moved out of the list, so that the radio is the packet's only owner and can deliver it without a copy.
      var output = HostOutput.packet([])
      swap(&output, &outputs[index])
      switch consume output {
      case .packet(let packet): radio.receive(packet, from: station.node, now: now)
      case .event(let event, let client):
        if let handler = station.handler {
          handler(&station.host, event, client, now)
        } else {
          station.events.append((event, client))
        }
      case .completion(let request, let outcome): station.outcomes.append((request, outcome))
      case .notice(let notice): station.notices.append(notice)
      }
    }
    return !outputs.isEmpty
  }
}
