internal import HummingbirdCore
internal import HummingbirdHTTP2
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// How connections are served: TLS, then HTTP/2 or HTTP/1.1 as ALPN says, with what is known of the connection beside each request.
struct SecureChannel: ServerChildChannel {
  struct Value: ServerChildChannelValue {
    let protocols: HTTP2UpgradeChannel.Value
    let connection: ClientConnection
    var channel: any Channel { connection.channel }
  }

  let context: TLSContext
  let table: ConnectionTable
  let metrics: ServerMetrics

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    table.begin(channel) { connection in
      context.current.setup(channel: channel, logger: logger).flatMapThrowing { protocols in
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
  /// Takes a connection in, bounds what it may hold, and goes on with `setUp`; fails if there are too many.
  func begin<Value>(
    _ channel: any Channel, _ setUp: (ClientConnection) throws -> EventLoopFuture<Value>
  ) -> EventLoopFuture<Value> {
    do {
      guard let connection = admit(channel) else { throw TooManyConnections() }
      try Self.bound(channel)
      return try setUp(connection)
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
  }

  /// What one connection may hold: one record of TLS is read at a time, and the kernel keeps little of what its peer does not
  /// take, where it would otherwise keep megabytes.
  private static func bound(_ channel: any Channel) throws {
    guard let options = channel.syncOptions else { return }
    try options.setOption(.maxMessagesPerRead, value: 1)
    try options.setOption(
      .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: 16 * 1024))
    try options.setOption(.socketOption(.so_sndbuf), value: 128 * 1024)
  }
}

extension ClientConnection {
  /// Runs what serves this connection: its requests know it as `current`.
  func serve(_ body: () async -> Void) async { await Self.$current.withValue(self) { await body() } }
}

struct TooManyConnections: Error {}

/// The TLS context of new connections. Another certificate makes another context: sessions of the old one are not resumed in it.
final class TLSContext: Sendable {
  private let channel: Mutex<HTTP2UpgradeChannel>
  private let make: @Sendable (TLSConfiguration) throws -> HTTP2UpgradeChannel

  init(
    _ configuration: TLSConfiguration, limits: ServerLimits, responder: @escaping HTTPChannelHandler.Responder
  ) throws {
    make = { configuration in
      try HTTP2UpgradeChannel(
        tlsConfiguration: configuration, configuration: .init(streamConfiguration: Self.streams(limits)),
        responder: responder)
    }
    channel = Mutex(try make(configuration))
  }

  /// How a connection of HTTP/1.1, or a stream of HTTP/2, is parsed and watched.
  static func streams(_ limits: ServerLimits) -> HTTP1Channel.Configuration {
    var streams = HTTP1Channel.Configuration(additionalChannelHandlers: [RequestArrivals()])
    streams.httpDecoder = .init(
      maxHeaderFieldSize: limits.headerSize, maxHeaderListSize: limits.headerSize,
      maxHeaderFieldCount: limits.headerCount)
    return streams
  }

  var current: HTTP2UpgradeChannel { channel.withLock { $0 } }

  /// New connections get this configuration; those that are open keep theirs.
  func replace(with configuration: TLSConfiguration) throws {
    let replacement = try make(configuration)
    channel.withLock { $0 = replacement }
  }
}
