import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Two bearers back to back: each end has a client and a server half, and an application that owns the values behind its
/// server. PDUs cross in the order in which they were sent.
struct GATTPair {
  /// One end.
  struct End {
    var client: GATTClient
    var server: ATTServer
    var database: GATTDatabase
    var ids: UInt64 = 0
    /// The application's values.
    var values: [AttributeHandle: [UInt8]] = [:]
    /// How long the application lets its peer wait: it answers only when it is asked to.
    var isBusy = false
    var asked: [ATTServerOutput] = []
    /// All results.
    var completions: [(id: RequestID, outcome: GATTOutcome)] = []
    var notifications: [(handle: AttributeHandle, value: [UInt8])] = []
    var subscriptions: [AttributeHandle: Subscription] = [:]
    var longestPDU = 0
    var outgoing: [[UInt8]] = []

    init(preferredMTU: Int, isCentral: Bool) {
      client = GATTClient(preferredMTU: preferredMTU, exchangesMTU: isCentral)
      server = ATTServer(link: LinkID(1), peer: .staticRandom(1), preferredMTU: preferredMTU)
      database = GATTDatabase(deviceName: isCentral ? "Central" : "Peripheral", appearance: 0)
    }
  }

  var ends: [End]
  var now: Duration = .zero
  private var latest: UInt64 = 0

  init(central: Int, peripheral: Int) {
    ends = [End(preferredMTU: central, isCentral: true), End(preferredMTU: peripheral, isCentral: false)]
  }

  /// Asks for a procedure at one end and lets everything run to its end.
  mutating func run(_ procedure: GATTProcedure, at end: Int = 0) -> GATTOutcome? {
    let id = submit(procedure, at: end)
    settle()
    return ends[end].completions.first { $0.id == id }?.outcome
  }

  /// Asks for a procedure.
  mutating func submit(_ procedure: GATTProcedure, at end: Int) -> RequestID {
    latest += 1
    var outputs: [GATTClientOutput] = []
    ends[end].client.submit(procedure, id: RequestID(latest), client: ClientID(1), into: &outputs)
    ends[end].perform(outputs)
    return RequestID(latest)
  }

  /// A new value of a server's, for its peer.
  mutating func update(_ value: [UInt8], of handle: AttributeHandle, at end: Int) {
    if case .send(let frame) = ends[end].server.update(value, of: handle, now: now) { ends[end].send(frame) }
  }

  /// Lets PDUs cross until there are none.
  mutating func settle() {
    var isMoving = true
    while isMoving {
      isMoving = false
      for end in 0...1 {
        ends[end].pump(now)
        let frames = ends[end].outgoing
        ends[end].outgoing = []
        for frame in frames { ends[1 - end].receive(ByteReader(frame, from: OutgoingFrame.headroom), now) }
        isMoving = isMoving || !frames.isEmpty
      }
    }
  }
}

extension GATTPair.End {
  mutating func send(_ frame: [UInt8]) {
    longestPDU = max(longestPDU, frame.count - OutgoingFrame.headroom)
    outgoing.append(frame)
  }

  mutating func pump(_ now: Duration) {
    var outputs: [GATTClientOutput] = []
    while let frame = client.nextFrame(now: now, into: &outputs) { send(frame) }
    perform(outputs)
  }

  mutating func receive(_ pdu: ByteReader, _ now: Duration) {
    if let opcode = pdu.peek(), ATTOpcode.isForClient(opcode) {
      var outputs: [GATTClientOutput] = []
      client.receive(pdu, into: &outputs)
      perform(outputs)
    } else {
      var outputs: [ATTServerOutput] = []
      server.receive(pdu, database: database, now: now, ids: &ids, into: &outputs)
      perform(outputs)
    }
  }

  mutating func perform(_ outputs: [GATTClientOutput]) {
    for output in outputs {
      switch output {
      case .completion(let id, let outcome): completions.append((id, outcome))
      case .notification(let handle, let value, _): notifications.append((handle, value))
      case .send(let frame): send(frame)
      case .mtu(let mtu): server.mtu = mtu
      case .needsSecurity:
        var rest: [GATTClientOutput] = []
        client.giveUp(nil, into: &rest)
        perform(rest)
      case .servicesChanged, .bearerDead: break
      }
    }
  }

  mutating func perform(_ outputs: [ATTServerOutput]) {
    for output in outputs {
      switch output {
      case .send(let frame): send(frame)
      case .readRequest, .writeRequest: if isBusy { asked.append(output) } else { answer(output) }
      case .subscriptionChanged(_, let handle, let subscription): subscriptions[handle] = subscription
      case .mtu(let mtu): client.mtu = mtu
      case .indicationConfirmed, .bearerDead: break
      }
    }
  }

  /// The application answers.
  mutating func answer(_ output: ATTServerOutput) {
    var outputs: [ATTServerOutput] = []
    switch output {
    case .readRequest(_, let request):
      let value = values[request.handle] ?? []
      let response: GATTServerResponse =
        request.offset > value.count ? .error(.invalidOffset) : .value(Array(value.dropFirst(request.offset)))
      _ = server.respond(to: request.id, with: response, database: database, ids: &ids, into: &outputs)
    case .writeRequest(_, let request):
      for part in request.parts { values[part.handle] = (values[part.handle] ?? []).prefix(part.offset) + part.value }
      guard let id = request.id else { return }
      _ = server.respond(to: id, with: .written, database: database, ids: &ids, into: &outputs)
    default: break
    }
    perform(outputs)
  }
}
