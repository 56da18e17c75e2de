import Foundation
import FoundationNetworking
import LatchkeyTLSTestSupport
import LatchkeyURLSession
import NIOCore
import NIOPosix
import NIOSSL
import Testing

/// A server that goes on sending while the delegate is asked.
@Suite struct HandshakeFloodTests {
  @Test("A flood behind the certificates ends the handshake, before anybody answers") func flood() async throws {
    let authority = try TestAuthority()
    let (chain, key) = try authority.server()
    let tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: try chain.map { .certificate(try NIOSSLCertificate(bytes: $0, format: .der)) },
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .der)))
    let context = try NIOSSLContext(configuration: tls)
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Flood())
          try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(server.localAddress?.port)
    let url = try #require(URL(string: "https://localhost:\(port)/"))
    let session = AuthenticatingSession(delegate: ScriptedDelegate { _, _ in })
    do {
      _ = try await session.data(from: url)
      Issue.record("the request ended well")
    } catch let error as URLError {
      #expect(error.code == .secureConnectionFailed)
      #expect(error.localizedDescription == "the server's part of the TLS handshake is too long")
    }
    try await server.close()
  }
}

/// Appends 2 MiB to the first that is written.
private final class Flood: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  private var hasBegun = false

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    context.write(data, promise: promise)
    guard !hasBegun else { return }
    hasBegun = true
    context.write(wrapOutboundOut(ByteBuffer(repeating: 0x17, count: 2 << 20)), promise: nil)
  }
}
