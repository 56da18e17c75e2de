import Synchronization

/// One client of a radio's server: its H4 stream, connected to a controller of its own.
final class RadioClient: Sendable {
  let name: String
  private let transport: any ControllerTransport
  private let server: RadioServer

  private struct State {
    var sender: H4Sender?
    var trace: PacketTrace?
    /// Why the server itself ended the stream, if it did.
    var reason: String?
  }
  private let state = Mutex(State())

  /// A client of `server` whose controller is behind `transport`.
  init(name: String, transport: any ControllerTransport, server: RadioServer) {
    self.name = name
    self.transport = transport
    self.server = server
  }

  /// The stream, once it is open.
  var sender: H4Sender? { state.withLock { $0.sender } }

  private var trace: PacketTrace? { state.withLock { $0.trace } }

  /// Ends the stream. Only the first reason is recorded.
  func end(_ reason: String) {
    let sender = state.withLock { state in
      state.reason = state.reason ?? reason
      return state.sender
    }
    sender?.close()
  }
}

extension RadioClient: H4StreamObserver {
  func streamOpened(_ sender: H4Sender) {
    state.withLock { $0.sender = sender }
    guard server.admit(self) else { return sender.close() }
    state.withLock { $0.trace = server.trace(of: name) }
    transport.open(self)
    server.report(.joined(name))
  }

  func streamReceived(_ packet: [UInt8]) {
    trace?.record(packet, .toController)
    transport.send(packet)
  }

  func streamEnded(_ reason: String) {
    transport.close()
    trace?.close()
    server.forget(self, state.withLock { $0.reason } ?? reason)
  }
}

extension RadioClient: ControllerTransportReceiver {
  func transportOpened() {}

  func transportReceived(_ packet: consuming [UInt8]) {
    trace?.record(packet, .fromController)
    if sender?.send(packet) == false { end("it does not read what it is sent") }
  }

  func transportClosed(_ reason: String?) { end(reason ?? "its controller is gone") }
}
