import NIOCore
import NIOHTTP1
import NIOPosix
package import NIOSSL
import Synchronization

/// A request as the little server got it.
package struct LittleRequest: Sendable {
  package var method: String
  package var path: String
  package var fields: [(name: String, value: String)]
  package var body: [UInt8]
  /// The client's certificate, DER.
  package var certificate: [UInt8]?

  package subscript(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
}

/// Its action then.
package enum LittleAnswer: Sendable {
  case response(Int, [(String, String)] = [], [UInt8] = [])
  /// Ends the connection without a word.
  case hangUp
  /// Says nothing, for ever.
  case silence
  /// Says that it goes well, and sends the body byte by byte, for ever.
  case drip
}

/// A TLS server of a few lines that answers as a test says: honestly, wrongly, or not at all.
package final class LittleServer: Sendable {
  package typealias Handler = @Sendable (LittleRequest) async -> LittleAnswer
  private let channel: any Channel
  private let seen: Requests
  package let port: Int

  /// The requests so far, in their order.
  package var requests: [LittleRequest] { seen.all }

  /// The requests so far, and those to come.
  package var arrivals: AsyncStream<LittleRequest> { seen.arrivals }

  package init(
    chain: [[UInt8]], key: [UInt8], clientRoots: [[UInt8]]? = nil, isCertificateOptional: Bool = false,
    version: TLSVersion? = nil,
    _ handler: @escaping Handler
  ) async throws {
    var tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: try chain.map { .certificate(try NIOSSLCertificate(bytes: $0, format: .der)) },
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .der)))
    tls.minimumTLSVersion = version ?? .tlsv12
    tls.maximumTLSVersion = version
    if let clientRoots {
      tls.trustRoots = .certificates(try clientRoots.map { try NIOSSLCertificate(bytes: $0, format: .der) })
      tls.certificateVerification = isCertificateOptional ? .optionalVerification : .noHostnameVerification
      // BoringSSL accepts no P-521 unless it is set to.
      tls.verifySignatureAlgorithms = [
        .ecdsaSecp256R1Sha256, .ecdsaSecp384R1Sha384, .ecdsaSecp521R1Sha512, .rsaPssRsaeSha256, .rsaPssRsaeSha384,
        .rsaPssRsaeSha512,
      ]
    }
    let context = try NIOSSLContext(configuration: tls)
    let seen = Requests()
    self.seen = seen
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.backlog, value: 64)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(NIOSSLServerHandler(context: context))
          try pipeline.configureHTTPServerPipeline(withErrorHandling: false)
          try pipeline.addHandler(Exchange(handler, seen))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  deinit { channel.close(promise: nil) }
}

/// The requests of all connections.
private final class Requests: Sendable {
  private struct State {
    var requests: [LittleRequest] = []
    var watchers: [AsyncStream<LittleRequest>.Continuation] = []
  }
  private let state = Mutex(State())

  var all: [LittleRequest] { state.withLock { $0.requests } }

  var arrivals: AsyncStream<LittleRequest> {
    let (stream, continuation) = AsyncStream<LittleRequest>.makeStream()
    state.withLock { state in
      for request in state.requests { continuation.yield(request) }
      state.watchers.append(continuation)
    }
    return stream
  }

  func add(_ request: LittleRequest) {
    state.withLock { state in
      state.requests.append(request)
      for watcher in state.watchers { watcher.yield(request) }
    }
  }
}

/// One connection.
private final class Exchange: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart
  private let handler: LittleServer.Handler
  private let seen: Requests
  private var request: LittleRequest?

  init(_ handler: @escaping LittleServer.Handler, _ seen: Requests) {
    self.handler = handler
    self.seen = seen
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
      request = LittleRequest(
        method: head.method.rawValue, path: head.uri, fields: head.headers.map { ($0.name, $0.value) }, body: [],
        certificate: try? tls?.peerCertificate?.toDERBytes())
    case .body(let part): request?.body += Array(part.readableBytesView)
    case .end:
      guard let request else { return }
      self.request = nil
      seen.add(request)
      let (channel, handler) = (context.channel, handler)
      Task {
        switch await handler(request) {
        case .silence: return
        case .drip: drip(into: channel)
        case .hangUp: try? await channel.close().get()
        case .response(let status, let fields, let body):
          var headers = HTTPHeaders(fields)
          headers.replaceOrAdd(name: "content-length", value: "\(body.count)")
          let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
          channel.write(HTTPServerResponsePart.head(head), promise: nil)
          channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
          try? await channel.writeAndFlush(HTTPServerResponsePart.end(nil)).get()
        }
      }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Sends an answer byte by byte until its channel is closed.
private func drip(into channel: any Channel) {
  let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "1000000000"])
  channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
  let dripping = channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(50)) { _ in
    channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: " "))), promise: nil)
  }
  channel.closeFuture.whenComplete { _ in dripping.cancel() }
}
