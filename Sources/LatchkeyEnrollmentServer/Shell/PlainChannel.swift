internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// Serves connections without TLS: HTTP/1.1, with the same limits on number, bytes and time as the others (``SecureChannel``).
/// Only for health and metrics, which contain no secrets.
struct PlainChannel: ServerChildChannel {
  struct Value: ServerChildChannelValue {
    let http: HTTP1Channel.Value
    let connection: ClientConnection
    var channel: any Channel { connection.channel }
  }

  let table: ConnectionTable
  let metrics: ServerMetrics
  private let http: HTTP1Channel

  init(
    table: ConnectionTable, metrics: ServerMetrics, limits: ServerLimits,
    responder: @escaping HTTPChannelHandler.Responder
  ) {
    self.table = table
    self.metrics = metrics
    http = HTTP1Channel(responder: responder, configuration: TLSContext.streams(limits))
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    table.begin(channel) { connection in
      try channel.pipeline.syncOperations.addHandler(ConnectionHandler(connection, metrics: metrics))
      connection.opened(fingerprint: nil, isMultiplexed: false, now: .now())
      return http.setup(channel: channel, logger: logger).map { Value(http: $0, connection: connection) }
    }
  }

  func handle(value: Value, logger: Logger) async {
    await value.connection.serve { await http.handle(value: value.http, logger: logger) }
  }
}
