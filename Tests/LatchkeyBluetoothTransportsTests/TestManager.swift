import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Synchronization

/// A manager without an API: records its host's events, and answers peers as configured.
final class TestManager: HostEventSink {
  private struct State {
    var client: ClientID?
    var events: [HostEvent] = []
  }

  let driver: HostDriver
  private let state = Mutex(State())
  private let answer: @Sendable (TestManager, HostEvent) -> Void

  init(_ driver: HostDriver, answer: @escaping @Sendable (TestManager, HostEvent) -> Void = { _, _ in }) {
    self.driver = driver
    self.answer = answer
    let client = driver.addClient(self)
    state.withLock { $0.client = client }
    // A driver that runs already may have become ready before this client was there, or before it knew its name.
    let (state, life) = driver.withHost { host, _ in (host.state, host.life) }
    if state == .poweredOn { answer(self, .stateChanged(.poweredOn, life)) }
  }

  /// The manager's name at its host; a name that no client has before it was given one.
  var client: ClientID { state.withLock { $0.client ?? ClientID(0) } }
  var events: [HostEvent] { state.withLock { $0.events } }
  var states: [HostState] {
    events.compactMap { event in
      if case .stateChanged(let state, _) = event { state } else { nil }
    }
  }
  var link: LinkID? {
    events.compactMap { event in
      if case .connected(let link, _, _) = event { link } else { nil }
    }.last
  }
  var disconnections: Int {
    events.count { event in
      if case .disconnected = event { true } else { false }
    }
  }
  var discoveries: [Discovery] {
    events.compactMap { event in
      if case .discovered(let discovery) = event { discovery } else { nil }
    }
  }

  func hostDidSend(_ event: HostEvent) {
    state.withLock { $0.events.append(event) }
    answer(self, event)
  }
}

/// Keeps outcomes in the order in which they came.
final class Outcomes: Sendable {
  private let outcomes = Mutex<[GATTOutcome]>([])
  var all: [GATTOutcome] { outcomes.withLock { $0 } }
  func add(_ outcome: GATTOutcome) { outcomes.withLock { $0.append(outcome) } }

  /// The values read, in order; any other outcome is nil.
  var values: [[UInt8]?] {
    all.map { outcome in
      if case .value(let value) = outcome { value } else { nil }
    }
  }
}
