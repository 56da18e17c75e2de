import LatchkeyBluetoothHost
import Logging
import Synchronization

/// Performs a host's outputs: packets to the transport, events to their sinks, outcomes to their completions.
final class HostOutlet: Sendable {
  private struct WeakSink {
    weak var sink: (any HostEventSink)?
  }

  typealias Completion = @Sendable (GATTOutcome) -> Void

  let transport: any ControllerTransport
  let trace: PacketTrace?
  let bonds: any BondStore
  private let sinks = Mutex<[ClientID: WeakSink]>([:])
  private let completions = Mutex<[RequestID: Completion]>([:])

  init(transport: any ControllerTransport, bonds: any BondStore, trace: PacketTrace?) {
    self.transport = transport
    self.bonds = bonds
    self.trace = trace
  }

  func add(_ sink: any HostEventSink, for client: ClientID) {
    sinks.withLock { $0[client] = WeakSink(sink: sink) }
  }

  func removeSink(of client: ClientID) {
    sinks.withLock { _ = $0.removeValue(forKey: client) }
  }

  func add(_ completion: @escaping Completion, for request: RequestID) {
    completions.withLock { $0[request] = completion }
  }

  /// Stores a bond before any manager hears of it. If that fails, the managers hear, too.
  private func store(_ change: BondChange) {
    do {
      guard let bond = change.bond else { return try bonds.remove(change.identity) }
      if change.isUpdate { try bonds.update(bond) } else { try bonds.save(bond) }
    } catch {
      let reason = "\(error)"
      guard !change.isUpdate else {
        return logger.warning("the subscriptions of \(change.identity) are not stored: \(reason)")
      }
      logger.warning("the pairing with \(change.identity) is not stored: \(reason)")
      let all = sinks.withLock { $0.values.compactMap(\.sink) }
      for sink in all { sink.bondWasNotStored(change.identity, reason) }
    }
  }

  func perform(_ output: consuming HostOutput) {
    switch consume output {
    case .packet(let packet):
      trace?.record(packet, .toController)
      transport.send(consume packet)
    case .event(let event, let client):
      let sink = sinks.withLock { $0[client]?.sink }
      sink?.hostDidSend(event)
    case .completion(let request, let outcome):
      let completion = completions.withLock { $0.removeValue(forKey: request) }
      completion?(outcome)
    case .bondChanged(let change): store(change)
    case .notice(let notice): logger.warning("\(notice)")
    }
  }
}
