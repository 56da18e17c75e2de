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
  private let sinks = Mutex<[ClientID: WeakSink]>([:])
  private let completions = Mutex<[RequestID: Completion]>([:])

  init(transport: any ControllerTransport, trace: PacketTrace?) {
    self.transport = transport
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
    case .notice(let notice): logger.warning("\(notice)")
    }
  }
}
