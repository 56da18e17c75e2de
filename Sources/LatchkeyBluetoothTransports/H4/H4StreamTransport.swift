import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// H4 to a controller behind a TCP or Unix socket: one connection. A lost one stays lost; `ReconnectingTransport` makes
/// another.
package final class H4StreamTransport: ControllerTransport {
  private enum Phase {
    case idle
    case connecting(any ControllerTransportReceiver)
    case open(any ControllerTransportReceiver, H4Sender)
    case closed
  }

  private let endpoint: StreamEndpoint
  private let eventLoop: any EventLoop
  private let phase = Mutex(Phase.idle)

  /// A transport to `endpoint`, on one of the process's event loops.
  package convenience init(to endpoint: StreamEndpoint) {
    self.init(to: endpoint, eventLoop: MultiThreadedEventLoopGroup.singleton.next())
  }

  init(to endpoint: StreamEndpoint, eventLoop: any EventLoop) {
    self.endpoint = endpoint
    self.eventLoop = eventLoop
  }

  /// Time and timers from the transport's own event loop.
  package var scheduler: any Scheduler { NIOScheduler(eventLoop: eventLoop) }

  /// Connects in the background.
  package func open(_ receiver: any ControllerTransportReceiver) {
    let isFirst = phase.withLock { phase in
      guard case .idle = phase else { return false }
      phase = .connecting(receiver)
      return true
    }
    guard isFirst else { return }
    let isTCP = endpoint.isTCP
    let bootstrap = ClientBootstrap(group: eventLoop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if isTCP { try channel.syncOptions?.setOption(.tcpOption(.tcp_nodelay), value: 1) }
          let handler = H4ChannelHandler(from: .controller, isTCP: isTCP, observer: self)
          try channel.pipeline.syncOperations.addHandler(handler)
        }
      }
    let connection =
      switch endpoint {
      case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
      case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
      }
    connection.whenFailure { error in
      self.end("cannot connect to \(self.endpoint): \(Self.describe(error))")
    }
  }

  /// Sends the packet on the connection; without one it is dropped.
  package func send(_ packet: consuming [UInt8]) {
    let sender = phase.withLock { phase -> H4Sender? in
      guard case .open(_, let sender) = phase else { return nil }
      return sender
    }
    guard let sender else { return }
    if !sender.send(packet) { end("\(endpoint) does not read what it is sent") }
  }

  /// Closes the connection, or cancels its making.
  package func close() {
    let phase = phase.withLock { phase in
      defer { phase = .closed }
      return phase
    }
    if case .open(_, let sender) = phase { sender.close() }
  }

  private func end(_ reason: String) {
    let receiver = phase.withLock { phase -> (any ControllerTransportReceiver)? in
      defer { phase = .closed }
      switch phase {
      case .connecting(let receiver), .open(let receiver, _): return receiver
      case .idle, .closed: return nil
      }
    }
    receiver?.transportClosed(reason)
  }

  /// The reason alone: NIO describes each address it tried at length.
  private static func describe(_ error: any Error) -> String {
    switch error {
    case let error as IOError: String(cString: strerror(error.errnoCode))
    case let error as NIOConnectionError:
      if let failure = error.connectionErrors.last {
        describe(failure.error)
      } else {
        "\(error.dnsAError ?? error.dnsAAAAError ?? error)"
      }
    default: "\(error)"
    }
  }
}

extension ReconnectingTransport {
  /// A transport to `endpoint` that reconnects, on one of the process's event loops.
  static func stream(to endpoint: StreamEndpoint) -> ReconnectingTransport {
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    return ReconnectingTransport(scheduler: NIOScheduler(eventLoop: eventLoop)) {
      H4StreamTransport(to: endpoint, eventLoop: eventLoop)
    }
  }
}

extension H4StreamTransport: H4StreamObserver {
  func streamOpened(_ sender: H4Sender) {
    let receiver = phase.withLock { phase -> (any ControllerTransportReceiver)? in
      guard case .connecting(let receiver) = phase else { return nil }
      phase = .open(receiver, sender)
      return receiver
    }
    guard let receiver else { return sender.close() }
    receiver.transportOpened()
  }

  func streamReceived(_ packet: [UInt8]) {
    let receiver = phase.withLock { phase -> (any ControllerTransportReceiver)? in
      guard case .open(let receiver, _) = phase else { return nil }
      return receiver
    }
    receiver?.transportReceived(packet)
  }

  func streamEnded(_ reason: String) { end("\(endpoint): \(reason)") }
}
