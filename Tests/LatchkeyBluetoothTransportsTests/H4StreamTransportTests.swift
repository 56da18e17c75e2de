import Glibc
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import LatchkeyBluetoothTransports

/// One raw socket that a transport connects to: the controller's end, byte by byte.
private final class RawServer: Sendable {
  let listener: any Channel
  private let accepted: AsyncStream<NIOAsyncChannel<ByteBuffer, ByteBuffer>>

  init(path: String? = nil) async throws {
    let (stream, continuation) = AsyncStream<NIOAsyncChannel<ByteBuffer, ByteBuffer>>.makeStream()
    accepted = stream
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          continuation.yield(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
        }
      }
    listener =
      if let path {
        try await bootstrap.bind(unixDomainSocketPath: path).get()
      } else {
        try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
      }
  }

  var endpoint: StreamEndpoint { .tcp(host: "127.0.0.1", port: listener.localAddress?.port ?? 0) }

  func accept() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
    var iterator = accepted.makeAsyncIterator()
    return try #require(await iterator.next())
  }
}

@Suite(.timeLimit(.minutes(5)))
struct H4StreamTransportTests {
  private let event: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
  private let command: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
  private let recorder = TransportRecorder()

  @Test("Packets pass both ways over TCP") func packetsPassBothWaysOverTCP() async throws {
    let server = try await RawServer()
    let transport = H4StreamTransport(to: server.endpoint)
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    transport.send(command)
    transport.send(command)
    try await server.accept().executeThenClose { inbound, outbound in
      var bytes: [UInt8] = []
      for try await buffer in inbound {
        bytes += buffer.readableBytesView
        if bytes.count == 8 { break }
      }
      #expect(bytes == command + command)
      // Cut in the middle of the second packet.
      try await outbound.write(ByteBuffer(bytes: event + event.prefix(3)))
      #expect(await recorder.next() == .received(event))
      try await outbound.write(ByteBuffer(bytes: event.dropFirst(3)))
      #expect(await recorder.next() == .received(event))
    }
    #expect(await recorder.next() == .closed("\(server.endpoint): the other end closed it"))
    transport.send(command)
    try await server.listener.close()
  }

  @Test("Packets pass over a Unix socket") func packetsPassOverAUnixSocket() async throws {
    let path = temporarySocketPath()
    defer { unlink(path) }
    let server = try await RawServer(path: path)
    let transport = H4StreamTransport(to: .unix(path: path))
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    try await server.accept().executeThenClose { _, outbound in
      try await outbound.write(ByteBuffer(bytes: event + [0x04]))
      #expect(await recorder.next() == .received(event))
    }
    #expect(await recorder.next() == .closed("\(path): the other end closed it within a packet"))
    try await server.listener.close()
  }

  @Test("A wrong indicator closes the stream with the reason") func aWrongIndicatorClosesTheStreamAndSaysSo()
    async throws
  {
    let server = try await RawServer()
    let transport = H4StreamTransport(to: server.endpoint)
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    try await server.accept().executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(bytes: event + [0x7F] + event))
      for try await _ in inbound {}
    }
    #expect(await recorder.next() == .received(event))
    let closed = await recorder.next()
    #expect(
      closed == .closed("\(server.endpoint): a packet begins with 0x7f, which is no H4 packet indicator from this side")
    )
    try await server.listener.close()
  }

  @Test("A port without a listener closes the transport with the reason") func noListener() async throws {
    let socket = try #require(BoundSocket())
    H4StreamTransport(to: socket.endpoint).open(recorder)
    #expect(await recorder.next() == .closed("cannot connect to \(socket.endpoint): Connection refused"))
  }

  @Test("An unknown host closes the transport with the reason") func noSuchHost() async throws {
    H4StreamTransport(to: .tcp(host: "256.0.0.1", port: 1)).open(recorder)
    guard case .closed(let reason?) = await recorder.next() else {
      Issue.record("not closed")
      return
    }
    #expect(reason.hasPrefix("cannot connect to 256.0.0.1:1: "))
  }

  @Test("A missing path closes the transport with the reason") func noSuchPath() async throws {
    let path = temporarySocketPath()
    H4StreamTransport(to: .unix(path: path)).open(recorder)
    #expect(await recorder.next() == .closed("cannot connect to \(path): No such file or directory"))
  }

  @Test("A closed transport makes no further calls") func aTransportThatWasClosedIsHeardOfNoMore() async throws {
    let server = try await RawServer()
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let transport = H4StreamTransport(to: server.endpoint, eventLoop: eventLoop)
    transport.open(recorder)
    #expect(await recorder.next() == .opened)
    transport.close()
    try await server.accept().executeThenClose { inbound, _ in
      for try await _ in inbound {}
    }
    // The end was handed to the event loop before the other side saw it.
    try await eventLoop.submit {}.get()
    recorder.transportClosed("a mark")
    #expect(await recorder.next() == .closed("a mark"))
    try await server.listener.close()
  }

  @Test("A transport that is closed while connecting makes no connection") func closedWhileConnecting() async throws {
    let server = try await RawServer()
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let transport = H4StreamTransport(to: server.endpoint, eventLoop: eventLoop)
    try await eventLoop.submit {
      transport.open(recorder)
      transport.close()
    }.get()
    try await server.accept().executeThenClose { inbound, _ in
      for try await _ in inbound {}
    }
    recorder.transportClosed("a mark")
    #expect(await recorder.next() == .closed("a mark"))
    try await server.listener.close()
  }
}
