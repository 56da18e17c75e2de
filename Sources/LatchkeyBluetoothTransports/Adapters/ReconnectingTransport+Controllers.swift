import NIOCore
import NIOPosix

extension ReconnectingTransport {
  /// A transport to a controller outside of this process, which reconnects: a virtual one is none.
  ///
  /// - Parameter loop: reads a stream; by default one of the process's event loops.
  static func toController(
    _ specification: ControllerSpecification, on loop: (any EventLoop)? = nil
  ) -> ReconnectingTransport {
    switch specification {
    case .stream(let endpoint): stream(to: .socket(endpoint), loop)
    case .serial(let port): stream(to: .serial(port), loop)
    case .hciSocket(let number):
      ReconnectingTransport(scheduler: DispatchScheduler()) {
        PacketSocketTransport(name: "hci\(number)") { () throws(AdapterError) in try HCISocket.open(number) }
      }
    case .virtual: preconditionFailure("a virtual controller has no transport of its own")
    }
  }

  private static func stream(to endpoint: H4Endpoint, _ loop: (any EventLoop)?) -> ReconnectingTransport {
    let eventLoop = loop ?? MultiThreadedEventLoopGroup.singleton.next()
    return ReconnectingTransport(scheduler: NIOScheduler(eventLoop: eventLoop)) {
      H4StreamTransport(to: endpoint, eventLoop: eventLoop)
    }
  }
}
