import LatchkeyServerTestSupport
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyTestSupport
import Logging
import NIOCore
import NIOSSL
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("The end of a server", .timeLimit(.minutes(10)))
struct ShutdownTests {
  @Test("Clients that keep their connections do not keep the server", arguments: [false, true])
  func idleClients(http2: Bool) async throws {
    let server = try await RunningServer()
    let device = try await server.device()
    try await server.withClient(device, http2: http2) { client in
      try await server.withClient(http2: http2) { anonymous in
        try await client.expectLive()
        try await anonymous.expectLive()
        try await server.stop()
        await #expect(throws: (any Error).self) { try await client.expectLive() }
      }
    }
  }

  @Test("A connection that has asked for nothing when the shutdown begins gets one answer")
  func firstRequest() async throws {
    try await RunningServer.with { server in
      let (silent, asking) = (try await RawConnection(to: server), try await RawConnection(to: server))
      // One that is not accepted yet is closed.
      let table = server.server.table
      try await waitUntil { table.count >= 2 && !table.connections.contains(where: \.isInHandshake) }
      // In one turn of an event loop, since the second for the first request runs on a busy machine, too.
      try await asking.channel.eventLoop.flatSubmit { [channel = asking.channel] in
        table.quiesce()
        return channel.writeAndFlush(
          ByteBuffer(string: "GET \(Routes.live) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
      }.get()
      #expect(try await asking.untilClosed().hasPrefix("HTTP/1.1 200 "))
      // However its end looks.
      #expect((try? await silent.untilClosed()) ?? "" == "")
    }
  }

  @Test("Each listener ends by itself, and no error is logged")
  func allListeners() async throws {
    let log = LoggedLines()
    for _ in 0..<20 {
      try await RunningServer.with {
        $0.operations = OperationsAddress(port: 0)
        $0.publicListener = OperationsAddress(port: 0)
        $0.logger = Logger(label: "test") { _ in log.handler }
      } _: { server in
        _ = try await (server.server.operationsPort, server.server.publicPort)
      }
    }
    #expect(log.all.filter { $0.level >= .error }.map(\.text) == [])
  }

  @Test("Peers that answer no goodbye of TLS are waited for a second, not for five")
  func goodbye() async throws {
    try await RunningServer.with { server in
      let authority = server.server.services.configuration.authority
      let (chain, key) = try RunningServer.certificate(of: authority, now: Date())
      let tls = try ServerTLS.configuration(certificateChain: chain, privateKey: key, authorities: authority.chain)
      #expect(tls.shutdownTimeout == .seconds(1))
    }
  }
}
