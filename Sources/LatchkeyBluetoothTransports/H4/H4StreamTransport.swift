import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// H4 to a controller behind a TCP or Unix socket, or a serial line: one connection. A lost one stays lost;
/// `ReconnectingTransport` makes another.
package final class H4StreamTransport: ControllerTransport {
  private enum Phase {
    case idle
    case connecting(any ControllerTransportReceiver)
    case open(any ControllerTransportReceiver, H4Sender)
    case closed
  }

  private let endpoint: H4Endpoint
  private let eventLoop: any EventLoop
  private let phase = Mutex(Phase.idle)
  /// The device of a serial line.
  private let line = Mutex<SerialLine?>(nil)
  /// Whether a packet came.
  private let hasReceived = Atomic(false)

  /// A transport to `endpoint`, on one of the process's event loops.
  package convenience init(to endpoint: StreamEndpoint) {
    self.init(to: .socket(endpoint), eventLoop: MultiThreadedEventLoopGroup.singleton.next())
  }

  convenience init(to endpoint: StreamEndpoint, eventLoop: any EventLoop) {
    self.init(to: .socket(endpoint), eventLoop: eventLoop)
  }

  init(to endpoint: H4Endpoint, eventLoop: any EventLoop) {
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
    switch endpoint {
    case .socket(let socket): connect(to: socket)
    case .serial(let port): open(port)
    }
  }

  private func connect(to socket: StreamEndpoint) {
    let isTCP = socket.isTCP
    let bootstrap = ClientBootstrap(group: eventLoop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if isTCP { try channel.syncOptions?.setOption(.tcpOption(.tcp_nodelay), value: 1) }
          try self.addHandler(to: channel, isTCP: isTCP)
        }
      }
    let connection =
      switch socket {
      case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
      case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
      }
    connection.whenFailure { error in
      self.end("cannot connect to \(socket): \(Self.describe(error))")
    }
  }

  private func open(_ port: SerialPort) {
    let line: SerialLine
    do throws(AdapterError) { line = try SerialLine(port) } catch { return end(error.description) }
    guard let descriptor = line.makeStreamDescriptor() else {
      return end("\(port.path): \(String(cString: strerror(errno)))")
    }
    self.line.withLock { $0 = line }
    let channel = NIOPipeBootstrap(group: eventLoop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try self.addHandler(to: channel, isTCP: false) }
      }
      .takingOwnershipOfDescriptor(inputOutput: descriptor)
    channel.whenFailure { error in
      Glibc.close(descriptor)
      self.end("\(port.path): \(Self.describe(error))")
    }
  }

  private func addHandler(to channel: any Channel, isTCP: Bool) throws {
    let handler =
      if case .serial = endpoint {
        H4ChannelHandler(from: .controller, isTCP: false, observer: self, end: "the device is gone")
      } else {
        H4ChannelHandler(from: .controller, isTCP: isTCP, observer: self)
      }
    try channel.pipeline.syncOperations.addHandler(handler)
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
    releaseLine()
    if case .open(_, let sender) = phase { sender.close() }
  }

  /// Frees the device of a serial line, so that closing it waits for nothing.
  private func releaseLine() { line.withLock { $0.take() }?.release() }

  private func end(_ reason: String) {
    let receiver = phase.withLock { phase -> (any ControllerTransportReceiver)? in
      defer { phase = .closed }
      switch phase {
      case .connecting(let receiver), .open(let receiver, _): return receiver
      case .idle, .closed: return nil
      }
    }
    releaseLine()
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
    hasReceived.store(true, ordering: .relaxed)
    receiver?.transportReceived(packet)
  }

  func streamEnded(_ reason: String) {
    guard case .socket = endpoint, !hasReceived.load(ordering: .relaxed) else { return end("\(endpoint): \(reason)") }
    // H4 has no way to say it: a program that lends its controller to one at a time turns others away like this.
    end("\(endpoint): \(reason) before it sent anything: another program may have the controller")
  }
}
