internal import HummingbirdCore
internal import HummingbirdHTTP2
internal import Logging
internal import NIOCore
internal import NIOHTTP2
internal import NIOSSL
internal import NIOTLS
internal import Synchronization

/// Serves connections: TLS, then HTTP/2 or HTTP/1.1 by ALPN, with the connection's state available to each request.
///
/// A connection of HTTP/1.1 serves itself (`RequestTasks`), one of HTTP/2 has a task; `ConnectionTable.drained()` waits for both.
struct SecureChannel: ConnectionSetup {
  let context: TLSContext
  let table: ConnectionTable
  let metrics: ServerMetrics
  /// The addresses whose connections begin with a PROXY header.
  var proxies: [AddressBlock] = []

  func setUp(_ channel: any Channel, logger: Logger) -> EventLoopFuture<Void> {
    let isProxied = !proxies.isEmpty && proxies.contains { $0.contains(channel.remoteAddress?.ipAddress ?? "") }
    return table.begin(channel, isProxied: isProxied) { connection in
      if isProxied {
        try channel.pipeline.syncOperations.addHandler(ProxyHeaderHandler(connection, table: table, logger: logger))
      }
      try secure(connection, logger: logger)
    }
  }

  /// Adds TLS and what is above it.
  func secure(_ connection: ClientConnection, logger: Logger) throws {
    let channel = connection.channel
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(NIOSSLServerHandler(context: context.current))
    try pipeline.addHandler(ConnectionHandler(connection, metrics: metrics))
    try pipeline.addHandler(
      NIOTypedApplicationProtocolNegotiationHandler<Void> { [context, table] result in
        switch result {
        case .negotiated("h2"):
          context.http2.setup(channel: channel, logger: logger).flatMapThrowing { http2 in
            try MalformedStreams.contain(in: channel.pipeline.syncOperations)
            table.serve(connection) { await context.http2.handle(value: http2, logger: logger) }
          }
        case .negotiated, .fallback:
          channel.eventLoop.makeCompletedFuture { try context.http1.setUp(channel, connection) }
        }
      })
  }
}

extension ConnectionTable {
  /// Registers a connection, bounds its buffers, and continues with `setUp`; fails if there are too many.
  ///
  /// - Parameter isProxied: whether its peer is a proxy, which will name its client (``identify(_:as:)``).
  func begin(
    _ channel: any Channel, isProxied: Bool = false, _ setUp: (ClientConnection) throws -> Void
  ) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      guard let connection = admit(channel, isProxied: isProxied) else { throw TooManyConnections() }
      try Self.bound(channel)
      try setUp(connection)
    }
  }

  /// Bounds the buffers of one connection: one TLS record is read at a time, and the kernel's send buffer is small, where it
  /// would otherwise hold megabytes.
  private static func bound(_ channel: any Channel) throws {
    guard let options = channel.syncOptions else { return }
    try options.setOption(.maxMessagesPerRead, value: 1)
    try options.setOption(
      .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: 16 * 1024))
    try options.setOption(.socketOption(.so_sndbuf), value: 128 * 1024)
  }
}

struct TooManyConnections: Error {}

/// The protocols of new connections. Another certificate gets another TLS context, in which sessions of the old one are not
/// resumed.
final class TLSContext: Sendable {
  let http1: HTTP1Connections
  let http2: HTTP2Channel
  private let tls: Mutex<NIOSSLContext>

  init(
    _ configuration: TLSConfiguration, limits: ServerLimits, direct: DirectAnswers? = nil, _ answering: RequestAnswering
  ) throws {
    http1 = HTTP1Connections(answering: answering, limits: limits, direct: direct)
    http2 = HTTP2Channel(
      responder: { request, writer, channel in
        try await answering.answer(request, writer, channel: channel, of: .current)
      },
      configuration: .init(streamConfiguration: .init(additionalChannelHandlers: [RequestArrivals()])))
    tls = Mutex(try Self.context(configuration))
  }

  var current: NIOSSLContext { tls.withLock { $0 } }

  /// Uses this configuration for new connections; open ones keep theirs.
  func replace(with configuration: TLSConfiguration) throws {
    let replacement = try Self.context(configuration)
    tls.withLock { $0 = replacement }
  }

  private static func context(_ configuration: TLSConfiguration) throws -> NIOSSLContext {
    var configuration = configuration
    configuration.applicationProtocols = NIOHTTP2SupportedALPNProtocols
    return try NIOSSLContext(configuration: configuration)
  }
}
