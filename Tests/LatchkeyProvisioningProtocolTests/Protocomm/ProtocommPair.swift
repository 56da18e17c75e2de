import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

/// An app's machine and a device's on a link without a radio: each access is done at once.
struct ProtocommPair {
  var app: ProtocommAppMachine
  var bench: ProtocommBench
  var now = Duration.zero
  var events: [AppEvent] = []
  /// Writes of the app, each with a read after it: the round trips.
  var trips = 0
  /// What the device's work gives.
  var networks = threeNetworks()
  /// The network's state after a join.
  var joined = NetworkState.connecting
  /// Changes what the app reads, by the number of the trip.
  var damage: (Int, [UInt8]) -> [UInt8] = { $1 }

  init(
    _ app: ProtocommAppConfiguration = ProtocommAppConfiguration(code: ProtocommBench.example.secretCode),
    _ configure: (inout ProtocommDeviceConfiguration) -> Void = { _ in }
  ) {
    self.app = ProtocommAppMachine(app, random: ScriptedRandom(seed: 23).draw)
    bench = ProtocommBench(configure)
  }

  var context: AppContext { AppContext(now: now) }

  mutating func begin(_ service: ProvisioningService? = nil) {
    app.begin(service ?? bench.machine.service, context: context)
    pump()
  }

  mutating func perform(_ request: AppRequest) {
    app.perform(request, context: context)
    pump()
  }

  /// Lets time pass to the app's next deadline.
  mutating func wait() {
    guard let deadline = app.nextDeadline else {
      Issue.record("no deadline")
      return
    }
    now = deadline
    bench.context.now = deadline
    app.handleTimeout(context: context)
    pump()
  }

  mutating func pump() {
    var actions = app.dequeueActions()
    while !actions.isEmpty {
      for action in actions { perform(action) }
      actions = app.dequeueActions()
    }
  }

  private mutating func perform(_ action: AppAction) {
    switch action {
    case .report(let event): events.append(event)
    case .subscribe: Issue.record("a subscription")
    case .write(let uuid, let bytes, let withResponse):
      #expect(withResponse)
      #expect(bytes.count <= 512)
      trips += 1
      bench.answer = nil
      bench.machine.write(bytes, to: uuid, from: ProtocommBench.link, context: &bench.context)
      bench.collect()
      while let (_, work) = bench.works.first { bench.complete(result(work)) }
      if let error = bench.answer ?? nil {
        app.handle(.writeFailed(uuid, .attribute(error)), context: context)
      } else {
        app.handle(.wrote(uuid), context: context)
      }
    case .read(let uuid):
      let bytes = (try? bench.machine.read(uuid, from: ProtocommBench.link, context: &bench.context)) ?? []
      app.handle(.read(uuid, damage(trips, bytes)), context: context)
    }
  }

  private mutating func result(_ work: DeviceWork) -> DeviceWorkResult {
    switch work {
    case .scan: return .networks(networks)
    case .join:
      bench.context.network = joined
      return .done
    case .custom(_, let body): return .response(body.reversed())
    default: return .done
    }
  }
}

extension AppEvent {
  /// Events have no equality: what a test compares.
  var text: String {
    switch self {
    case .opened(let assurance, let capabilities): "opened \(assurance) \(capabilities.rawValue)"
    case .networks(let networks): "networks \(networks.map(\.name))"
    case .network(let state): "network \(state)"
    case .response(let bytes): "response \(Hexadecimal.encode(bytes))"
    case .requestFailed(let failure): "requestFailed \(failure)"
    case .failed(let failure): "failed \(failure)"
    case .done: "done"
    default: "\(self)"
    }
  }

  var failure: ProvisioningFailure? { if case .failed(let failure) = self { failure } else { nil } }
  var requestFailure: ProvisioningFailure? { if case .requestFailed(let failure) = self { failure } else { nil } }
}
