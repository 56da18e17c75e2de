internal import Logging
internal import NIOCore

/// Serves connections without TLS: HTTP/1.1, with the same limits on number, bytes and time as the others (``SecureChannel``).
/// Only for health and metrics, which contain no secrets.
struct PlainChannel: ConnectionSetup {
  let table: ConnectionTable
  let metrics: ServerMetrics
  let http: HTTP1Connections

  func setUp(_ channel: any Channel, logger: Logger) -> EventLoopFuture<Void> {
    table.begin(channel) { connection in
      try channel.pipeline.syncOperations.addHandler(ConnectionHandler(connection, metrics: metrics))
      connection.opened(fingerprint: nil, isMultiplexed: false, now: .now())
      try http.setUp(channel, connection)
    }
  }
}
