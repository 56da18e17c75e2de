import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Logging
import NIOCore
import NIOSSL
import Synchronization
import Testing

@testable import LatchkeyEnrollmentServer

/// The port that tenants share: how a client's name arrives, and how much of the port each may have.
@Suite("The port of several tenants", .timeLimit(.minutes(5))) struct TenantPortTests {
  private static let unrecognized: [UInt8] = [21, 3, 3, 0, 2, 2, 112]
  private static let proxyHeader: [UInt8] =
    [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A, 0x21, 0x11, 0, 12] + [203, 0, 113, 7]
    + [127, 0, 0, 1, 0x30, 0x39, 0x01, 0xBB]

  private func answer(_ server: RunningTenants, _ pieces: [[UInt8]]) async throws -> [UInt8] {
    let connection = try await RawConnection(port: server.port)
    for piece in pieces { try? await connection.channel.writeAndFlush(ByteBuffer(bytes: piece)).get() }
    return Array(try await connection.untilClosed().utf8)
  }

  /// A handshake whose first bytes arrive one by one, and a request behind it.
  private func slowly(_ server: RunningTenants) async throws -> String {
    var tls = try server.red.clientTLS()
    tls.certificateVerification = .noHostnameVerification
    let connection = try await RawConnection(port: server.port)
    let context = try NIOSSLContext(configuration: tls)
    try await connection.channel.eventLoop.submit { [channel = connection.channel, name = server.red.host] in
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name), position: .first)
      try pipeline.addHandler(Slowly(), position: .first)
    }.get()
    try await connection.send(
      "GET \(Routes.authority) HTTP/1.1\r\nhost: \(server.red.host)\r\nconnection: close\r\n\r\n")
    return String(try await connection.untilClosed().prefix(12))
  }

  /// Writes each byte by itself.
  private final class Slowly: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var count = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      let bytes = unwrapOutboundIn(data)
      guard count < 2000 else { return context.write(data, promise: promise) }
      count += bytes.readableBytes
      for byte in bytes.readableBytesView {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [byte])), promise: nil)
      }
      promise?.succeed()
    }
  }

  @Test("A ClientHello in single bytes is as one in one piece") func pieces() async throws {
    try await RunningTenants.with { server in
      let status = try await slowly(server)
      #expect(status == "HTTP/1.1 200")
    }
  }

  @Test("The name stands behind a proxy's header, which counts for the limits of the tenant", arguments: [false, true])
  func proxied(inPieces: Bool) async throws {
    try await RunningTenants.with {
      $0.proxies = [try #require(AddressBlock("127.0.0.0/8"))]
    } _: { server in
      let bytes = Self.proxyHeader + ClientHello.bytes("green.example.org")
      let alert = try await answer(server, inPieces ? bytes.map { [$0] } : [bytes])
      #expect(alert == Self.unrecognized)
      // Without a header nobody is asked for a name.
      let nothing = try await answer(server, [ClientHello.bytes("green.example.org")])
      #expect(nothing.isEmpty)
    }
  }

  @Test("Without a known name there is an alert, and nothing else of any tenant")
  func unknown() async throws {
    try await RunningTenants.with { server in
      for name in [
        "green.example.org", "example.org", "x.red.example.org", "red.example.or", "localhost", "127.0.0.1",
        "*.example.org",
        "", "red.example.org\0", "red.example.org\n", String(repeating: "a", count: 4096), nil,
      ] {
        let alert = try await answer(server, [ClientHello.bytes(name)])
        #expect(alert == Self.unrecognized, "\(name ?? "none")")
      }
      let long = try await answer(server, [ClientHello.bytes("green.example.org", padding: 12_000)])
      #expect(long == Self.unrecognized)
      for bench in server.all { #expect(server.server.server(of: bench.name)?.table.count == 0) }
    }
  }

  @Test(
    "What is no ClientHello ends the connection",
    arguments: [
      Array("GET / HTTP/1.1\r\n\r\n".utf8), [22, 2, 0, 0, 1, 0], [22, 3, 1, 0, 0], [22, 3, 1, 0, 4, 2, 0, 0, 0],
      [22, 3, 1, 0, 4, 1, 0xFF, 0xFF, 0xFF], [22, 3, 1, 0, 5, 1, 0, 0, 1, 3],
      Array(ClientHello.bytes("red.example.org")[..<60]) + [UInt8](repeating: 0xFF, count: 200),
      [0x80, 0x2E, 1, 3, 1], proxyHeader,
    ] as [[UInt8]])
  func malformed(bytes: [UInt8]) async throws {
    try await RunningTenants.with {
      $0.limits.handshakeTimeout = 1
    } _: { server in
      let answer = try await answer(server, [bytes])
      #expect(answer.isEmpty || answer == Self.unrecognized)
      #expect(try await server.withClient(server.red) { try await $0.request("GET", Routes.authority) }.status == 200)
    }
  }

  @Test("A ClientHello larger than a record may be is cut off while it arrives") func giant() async throws {
    try await RunningTenants.with { server in
      let piece = [UInt8](repeating: 0, count: 1024)
      let all = try await answer(server, [[22, 3, 1, 0xFF, 0xFF]] + Array(repeating: piece, count: 60))
      #expect(all.isEmpty)
    }
  }

  @Test(
    "One that does not end is cut off with the port's time for handshakes, one that ends early at once",
    arguments: [false, true])
  func half(hangsUp: Bool) async throws {
    try await RunningTenants.with {
      if !hangsUp { $0.limits.handshakeTimeout = 0.1 }
    } _: { server in
      let connection = try await RawConnection(port: server.port)
      try? await connection.channel.writeAndFlush(
        ByteBuffer(bytes: ClientHello.bytes("red.example.org").dropLast())
      ).get()
      if hangsUp { try? await connection.channel.close(mode: .output).get() }
      #expect(try await connection.untilClosed().isEmpty)
    }
  }

  @Test("A tenant's connections are its own limit, and the port's that of all")
  func connections() async throws {
    try await RunningTenants.with {
      $0.tenants[0].configuration.limits.connections = 1
    } _: { server in
      let table = try #require(server.server.server(of: "red")?.table)
      let held = try await server.connect(server.red, serverName: server.red.host)
      try await waitUntil { table.count > 0 }
      let second = try await server.connect(server.red, serverName: server.red.host)
      #expect(try await second.untilClosed().isEmpty)
      #expect(try await server.withClient(server.blue) { try await $0.request("GET", Routes.authority) }.status == 200)
      try await held.close()
      try await waitUntil { table.count == 0 }
      #expect(try await server.withClient(server.red) { try await $0.request("GET", Routes.authority) }.status == 200)
    }
    try await RunningTenants.with {
      $0.limits.connections = 1
    } _: { server in
      let held = try await server.connect(server.red, serverName: server.red.host)
      try await waitUntil { server.server.table.count > 0 }
      #expect(try await answer(server, [ClientHello.bytes("blue.example.org")]).isEmpty)
      try await held.close()
      try await waitUntil { server.server.table.count == 0 }
      #expect(try await server.withClient(server.blue) { try await $0.request("GET", Routes.authority) }.status == 200)
    }
  }

  /// The numbers of refused connections, as the metrics of each tenant have them, by reason; those above zero. One may be counted between
  /// the metrics of two.
  private func refused(_ server: RunningTenants) async throws -> [[String: Int]] {
    var found: [[String: Int]] = []
    for bench in server.all {
      let port = try #require(try await server.server.operationsPort(of: bench.name))
      let connection = try await RawConnection(port: port)
      try await connection.send("GET \(Routes.metrics) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
      let text = try await connection.untilClosed()
      #expect(text.components(separatedBy: "# TYPE latchkey_port_connections_refused_total counter").count == 2)
      #expect(text.components(separatedBy: "# TYPE latchkey_metrics_dropped_series").count == 2)
      let pattern = /latchkey_port_connections_refused_total\{reason="([a-z_]+)"\} ([0-9]+)/
      let all = text.matches(of: pattern).map { (String($0.1), Int($0.2) ?? -1) }
      #expect(all.count == 6 && text.components(separatedBy: "latchkey_port_connections_refused_total{").count == 7)
      found.append(Dictionary(uniqueKeysWithValues: all.filter { $0.1 > 0 }))
    }
    return found
  }

  @Test("Refused connections are counted by reason, whatever names their clients send") func counted() async throws {
    try await RunningTenants.with(
      {
        for index in $0.tenants.indices { $0.tenants[index].configuration.operations = OperationsAddress(port: 0) }
        $0.tenants[0].configuration.limits.connections = 1
        $0.limits.connections = 2
        $0.limits.handshakeTimeout = 600
      }, before: { _, blue in blue.store.refusal = .unavailable("not there yet") }
    ) { server in
      #expect(try await refused(server) == [[:], [:]])
      func idle() async throws { try await waitUntil { server.server.table.count == 0 } }
      for name in ["green.example.org", "a\"} 7", String(repeating: "a", count: 2000)] {
        #expect(try await answer(server, [ClientHello.bytes(name)]) == Self.unrecognized)
        try await idle()
      }
      #expect(try await answer(server, [ClientHello.bytes(nil)]) == Self.unrecognized)
      try await idle()
      #expect(try await answer(server, [ClientHello.bytes("blue.example.org")]) == [21, 3, 3, 0, 2, 2, 80])
      try await idle()
      let early = try await RawConnection(port: server.port)
      try await early.channel.writeAndFlush(ByteBuffer(bytes: ClientHello.bytes("red.example.org").dropLast())).get()
      try await early.close()
      try await idle()
      var wanted = ["unknown_name": 3, "no_name": 1, "not_serving": 1, "incomplete": 1]
      try await waitUntil { try await refused(server) == [wanted, wanted] }
      let table = try #require(server.server.server(of: "red")?.table)
      let held = try await server.connect(server.red, serverName: server.red.host)
      try await waitUntil { table.count > 0 }
      let second = try await server.connect(server.red, serverName: server.red.host)
      #expect(try await second.untilClosed().isEmpty)
      wanted["tenant_limit"] = 1
      try await waitUntil { try await refused(server) == [wanted, wanted] }
      let silent = try await RawConnection(port: server.port)
      try await waitUntil { server.server.table.count >= 2 }
      #expect(try await answer(server, [ClientHello.bytes("red.example.org")]).isEmpty)
      wanted["port_limit"] = 1
      try await waitUntil { try await refused(server) == [wanted, wanted] }
      for connection in [held, silent] { try await connection.close() }
    }
  }

  @Test("A limit per address counts each client of a proxy, at the tenant too") func addresses() async throws {
    try await RunningTenants.with {
      $0.proxies = [try #require(AddressBlock("127.0.0.0/8"))]
      $0.tenants[0].configuration.limits.connectionsPerAddress = 1
    } _: { server in
      let table = try #require(server.server.server(of: "red")?.table)
      func connect(_ last: UInt8) async throws -> RawConnection {
        let connection = try await RawConnection(port: server.port)
        var header = Self.proxyHeader
        header[19] = last
        try await connection.channel.writeAndFlush(ByteBuffer(bytes: header)).get()
        let context = try NIOSSLContext(configuration: server.red.clientTLS())
        // A connection that is refused may be closed by now.
        try? await connection.channel.eventLoop.submit { [channel = connection.channel, name = server.red.host] in
          try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: context, serverHostname: name), position: .first)
        }.get()
        return connection
      }
      let first = try await connect(7)
      try await waitUntil { table.connections.first?.address == "203.0.113.7" }
      let refused = try await connect(7).untilClosed()
      #expect(refused.isEmpty)
      let second = try await connect(8)
      try await waitUntil { table.count >= 2 }
      for connection in [first, second] { try await connection.close() }
    }
  }

  @Test(
    "Clients that keep their connections do not keep the server, whatever they have said", arguments: [false, true])
  func shutdown(http2: Bool) async throws {
    let server = try await RunningTenants()
    let silent = try await RawConnection(port: server.port)
    let begun = try await RawConnection(port: server.port)
    try await begun.channel.writeAndFlush(ByteBuffer(bytes: ClientHello.bytes("red.example.org").dropLast())).get()
    try await server.withClient(server.red, http2: http2) { red in
      try await server.withClient(server.blue, http2: http2) { blue in
        for client in [red, blue] { #expect(try await client.request("GET", Routes.authority).status == 200) }
        try await server.stop()
        #expect(server.server.table.count == 0)
        for connection in [silent, begun] { #expect(try await connection.untilClosed().isEmpty) }
        for client in [red, blue] {
          await #expect(throws: (any Error).self) { try await client.request("GET", Routes.authority) }
        }
      }
    }
  }
}
