import LatchkeyEnrollmentProtocol
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import LatchkeyEnrollmentServer

/// Connections that come by a load balancer.
@Suite(.timeLimit(.minutes(10))) struct ProxiedConnectionTests {
  private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
  private static func header(from address: [UInt8]) -> [UInt8] {
    signature + [0x21, 0x11, 0, 12] + address + [127, 0, 0, 1, 0x30, 0x39, 0x01, 0xBB]
  }

  private func connect(_ server: RunningServer, _ header: [UInt8], inPieces: Bool = false) async throws -> RawConnection
  {
    let connection = try await RawConnection(port: server.port)
    let context = try NIOSSLContext(configuration: try server.clientTLS(nil))
    let pieces = (inPieces ? header.map { [$0] } : [header]).filter { !$0.isEmpty }
    // On the event loop alone: tasks of other tests may come between two steps of this one. A connection that is refused may
    // be closed before the end.
    try? await Self.write(pieces[...], to: connection.channel).flatMapThrowing { [channel = connection.channel] in
      let tls = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
      try channel.pipeline.syncOperations.addHandler(tls, position: .first)
    }.get()
    return connection
  }

  /// Writes pieces, each once the one before is sent.
  private static func write(_ pieces: ArraySlice<[UInt8]>, to channel: any Channel) -> EventLoopFuture<Void> {
    guard let piece = pieces.first else { return channel.eventLoop.makeSucceededVoidFuture() }
    return channel.writeAndFlush(ByteBuffer(bytes: piece)).flatMap { write(pieces.dropFirst(), to: channel) }
  }

  /// The status of a request on a connection, which ends with it; nil without an answer.
  private func status(_ connection: RawConnection) async throws -> String? {
    try await connection.trySend("GET \(Routes.live) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
    let text = try await connection.untilClosed()
    return text.isEmpty ? nil : String(text.prefix { $0 != "\r" && $0 != "\n" && $0 != "\r\n" })
  }

  private func proxied(_ configuration: inout ServerConfiguration) throws {
    configuration.proxies = [try #require(AddressBlock("127.0.0.0/8"))]
  }

  @Test("Behind a header in one piece or in many TLS and HTTP are as without it", arguments: [false, true])
  func served(inPieces: Bool) async throws {
    try await RunningServer.with({ try proxied(&$0) }) { server in
      let connection = try await connect(server, Self.header(from: [203, 0, 113, 7]), inPieces: inPieces)
      #expect(try await status(connection) == "HTTP/1.1 200 OK")
      let own = try await connect(server, Self.signature + [0x20, 0, 0, 0])
      #expect(try await status(own) == "HTTP/1.1 200 OK")
    }
  }

  @Test("The limit per address counts the client's, and frees it when the connection closes") func limit() async throws
  {
    try await RunningServer.with({
      try proxied(&$0)
      $0.limits.connectionsPerAddress = 1
    }) { server in
      let first = try await connect(server, Self.header(from: [203, 0, 113, 7]))
      try await waitUntil { server.server.table.connections.first?.address == "203.0.113.7" }
      let second = try await connect(server, Self.header(from: [203, 0, 113, 7]))
      #expect(try await status(second) == nil)
      let other = try await connect(server, Self.header(from: [203, 0, 113, 8]))
      #expect(try await status(other) == "HTTP/1.1 200 OK")
      try await first.close()
      try await waitUntil { server.server.table.count == 0 }
      let again = try await connect(server, Self.header(from: [203, 0, 113, 7]))
      #expect(try await status(again) == "HTTP/1.1 200 OK")
    }
  }

  @Test(
    "A proxy's connection without a header of version 2 is closed",
    arguments: [[], Array("PROXY TCP4 203.0.113.7 127.0.0.1 5 443\r\n".utf8), signature + [0x21, 0x12, 0, 12]])
  func noHeader(bytes: [UInt8]) async throws {
    try await RunningServer.with({ try proxied(&$0) }) { server in
      let connection = try await connect(server, bytes)
      #expect(try await status(connection) == nil)
    }
  }

  @Test("A header that no proxy sends is garbage: TLS refuses it", arguments: [nil, "192.0.2.0/24"])
  func foreignHeader(block: String?) async throws {
    try await RunningServer.with({ $0.proxies = block.flatMap { AddressBlock($0) }.map { [$0] } ?? [] }) { server in
      let garbage = try await connect(server, Self.header(from: [203, 0, 113, 7]))
      // TLS may say so by an alert.
      #expect(try await status(garbage)?.hasPrefix("HTTP/") != true)
      let plain = try await connect(server, [])
      #expect(try await status(plain) == "HTTP/1.1 200 OK")
    }
  }

  @Test("A header that does not end is cut off with the handshake's limit") func halfHeader() async throws {
    try await RunningServer.with({
      try proxied(&$0)
      $0.limits.handshakeTimeout = 0.1
    }) { server in
      let connection = try await RawConnection(port: server.port)
      // On a slow machine the limit has passed before the bytes are written.
      try? await connection.channel.writeAndFlush(ByteBuffer(bytes: Self.signature)).get()
      #expect(try await connection.untilClosed().isEmpty)
    }
  }
}
