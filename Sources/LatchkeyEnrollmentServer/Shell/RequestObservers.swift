internal import Hummingbird
internal import HummingbirdCore
internal import LatchkeyEnrollmentStore
internal import Logging
internal import Metrics
internal import NIOCore

/// What is noted of each request: a line in the log, and the metrics.
struct RequestObservers: Sendable {
  let logger: Logger
  let metrics: ServerMetrics

  /// What the router calls the path of a request that it has no route for.
  static let notFound = "NotFound"

  /// A request was answered. Neither query nor fields are noted: they may hold secrets.
  func answered(_ request: Request, _ context: ServerContext, route: String?, status: Int, in time: TimeAmount) {
    metrics.answered(route: route, method: request.method, status: status, nanoseconds: time.nanoseconds)
    // Also where it failed, which anybody may have by the thousand: why, `Trouble` says now and then.
    guard logger.logLevel <= .info else { return }
    logger.info(
      "request",
      metadata: [
        "request": "\(context.requestID)", "method": "\(request.method.rawValue)",
        "route": "\(route ?? "none")", "status": "\(status)",
        "microseconds": "\(time.nanoseconds / 1000)", "peer": "\(context.connection?.address ?? "")",
        "device": "\(context.device?.id.description ?? "")",
      ])
  }

  /// A request's body did not come: its peer's doing, and no fault of the server.
  func abandoned(route: String?, _ error: any Error) {
    metrics.abandonedRequests.increment()
    logger.debug("a request was abandoned", metadata: ["route": "\(route ?? "none")", "error": "\(error)"])
  }
}
