internal import Hummingbird
internal import HummingbirdCore
internal import LatchkeyEnrollmentStore
internal import Logging
internal import Metrics
internal import NIOCore

/// Records each request in the log and the metrics.
struct RequestObservers: Sendable {
  let logger: Logger
  let metrics: ServerMetrics

  /// The router's name for the path of a request without a route.
  static let notFound = "NotFound"

  /// Records an answered request. Query and fields are omitted, since they may contain secrets.
  func answered(
    method: HTTPRequest.Method, route: String?, status: Int, in time: TimeAmount,
    requestID: @autoclosure () -> String, connection: ClientConnection?, device: AuthenticatedDevice?
  ) {
    metrics.answered(route: route, method: method, status: status, nanoseconds: time.nanoseconds)
    // Also at this level for failures, which any client can cause in great number; `Trouble` logs their causes at a limited
    // rate.
    guard logger.logLevel <= .info else { return }
    logger.info(
      "request",
      metadata: [
        "request": "\(requestID())", "method": "\(method.rawValue)",
        "route": "\(route ?? "none")", "status": "\(status)",
        "microseconds": "\(time.nanoseconds / 1000)", "peer": "\(connection?.address ?? "")",
        "device": "\(device?.id.description ?? "")",
      ])
  }

  /// Records that a request's body did not arrive, or that its connection ended before its response, which is its peer's fault, not the
  /// server's.
  func abandoned(route: String?, _ error: any Error) {
    metrics.abandonedRequests.increment()
    logger.debug("a request was abandoned", metadata: ["route": "\(route ?? "none")", "error": "\(error)"])
  }
}
