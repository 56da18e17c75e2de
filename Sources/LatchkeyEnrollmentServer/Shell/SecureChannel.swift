internal import HummingbirdCore
internal import HummingbirdHTTP2
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// Serves connections: TLS, then HTTP/2 or HTTP/1.1 by ALPN, with the connection's state available to each request.
struct SecureChannel: ServerChildChannel {
  struct Value: ServerChildChannelValue {
    let protocols: HTTP2UpgradeChannel.Value
    let connection: ClientConnection
    var channel: any Channel { connection.channel }
  }

  let context: TLSContext
  let table: ConnectionTable
  let metrics: ServerMetrics
  /// The addresses whose connections begin with a PROXY header.
  var proxies: [AddressBlock] = []

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let isProxied = !proxies.isEmpty && proxies.contains { $0.contains(channel.remoteAddress?.ipAddress ?? "") }
    return table.begin(channel, isProxied: isProxied) { connection in
      if isProxied {
        let handler = ProxyHeaderHandler(connection, table: table, logger: logger)
        try channel.pipeline.syncOperations.addHandler(handler)
      }
      return context.current.setup(channel: channel, logger: logger).flatMapThrowing { protocols in
        let pipeline = channel.pipeline.syncOperations
        let tls = try pipeline.context(handlerType: NIOSSLServerHandler.self).handler
        try pipeline.addHandler(ConnectionHandler(connection, metrics: metrics), position: .after(tls))
        return Value(protocols: protocols, connection: connection)
      }
    }
  }

  func handle(value: Value, logger: Logger) async {
    await value.connection.serve { await context.current.handle(value: value.protocols, logger: logger) }
  }
}

extension ConnectionTable {
  /// Registers a connection, bounds its buffers, and continues with `setUp`; fails if there are too many.
  ///
  /// - Parameter isProxied: whether its peer is a proxy, which will name its client (``identify(_:as:)``).
  func begin<Value>(
    _ channel: any Channel, isProxied: Bool = false, _ setUp: (ClientConnection) throws -> EventLoopFuture<Value>
  ) -> EventLoopFuture<Value> {
    do {
      guard let connection = admit(channel, isProxied: isProxied) else { throw TooManyConnections() }
      try Self.bound(channel)
      return try setUp(connection)
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
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

extension ClientConnection {
  /// Runs the body that serves this connection, with the connection as `current` in its requests.
  func serve(_ body: () async -> Void) async { await Self.$current.withValue(self) { await body() } }
}

struct TooManyConnections: Error {}

/// The TLS context of new connections. Another certificate gets another context, in which sessions of the old one are not
/// resumed.
final class TLSContext: Sendable {
  private let channel: Mutex<HTTP2UpgradeChannel>
  private let make: @Sendable (TLSConfiguration) throws -> HTTP2UpgradeChannel

  init(
    _ configuration: TLSConfiguration, limits: ServerLimits, direct: DirectAnswers? = nil,
    responder: @escaping HTTPChannelHandler.Responder
  ) throws {
    make = { configuration in
      try HTTP2UpgradeChannel(
        tlsConfiguration: configuration,
        configuration: .init(streamConfiguration: Self.streams(limits, direct: direct)),
        responder: responder)
    }
    channel = Mutex(try make(configuration))
  }

  /// The parsing and monitoring of an HTTP/1.1 connection, or of an HTTP/2 stream.
  static func streams(_ limits: ServerLimits, direct: DirectAnswers? = nil) -> HTTP1Channel.Configuration {
    var streams = HTTP1Channel.Configuration(additionalChannelHandlers: [RequestArrivals(direct: direct)])
    streams.httpDecoder = .init(
      maxHeaderFieldSize: limits.headerSize, maxHeaderListSize: limits.headerSize,
      maxHeaderFieldCount: limits.headerCount)
    return streams
  }

  var current: HTTP2UpgradeChannel { channel.withLock { $0 } }

  /// Uses this configuration for new connections; open ones keep theirs.
  func replace(with configuration: TLSConfiguration) throws {
    let replacement = try make(configuration)
    channel.withLock { $0 = replacement }
  }
}
