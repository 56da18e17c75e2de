internal import Hummingbird
internal import LatchkeyEnrollmentProtocol
internal import Metrics
internal import Synchronization

/// The server's metrics. Labels are route templates, methods, statuses and the server's own names, never input of a client.
final class ServerMetrics: Sendable {
  private let factory: any MetricsFactory
  private let routes: Mutex<[Key: Handlers]>
  private let statuses = Mutex<[StatusKey: Counter]>([:])
  private let refusals: [Problem.Code: Counter]
  private let decisions = Mutex<[[String]: Counter]>([:])
  let refusedConnections: Counter
  /// Requests whose peer disconnected before they were complete.
  let abandonedRequests: Counter
  let handshakes: (withCertificate: Counter, without: Counter)
  let connections: Meter
  /// Bytes held of request bodies that are not complete.
  let unfinishedBodyBytes: Meter

  private struct Key: Hashable {
    let route: String
    let method: String
  }

  private struct StatusKey: Hashable {
    let key: Key
    let status: Int
  }

  private struct Handlers {
    let duration: Timer
  }

  /// Counts how a service decided a signed request: `done`, `repeated`, or a problem's code.
  func noteDecision(of service: String, _ outcome: String) {
    decisions.withLock { decisions in
      if let known = decisions[[service, outcome]] { return known }
      let new = Counter(
        label: "latchkey_decisions_total", dimensions: [("service", service), ("outcome", outcome)], factory: factory)
      decisions[[service, outcome]] = new
      return new
    }.increment()
  }

  /// - Parameter refusedConnections: counts refused connections in the place of a counter of these metrics.
  init(factory: any MetricsFactory, refusedConnections: Counter? = nil) {
    self.factory = factory
    routes = Mutex([:])
    refusals = Dictionary(
      uniqueKeysWithValues: Problem.Code.allCases.map {
        ($0, Counter(label: "latchkey_refusals_total", dimensions: [("code", $0.rawValue)], factory: factory))
      })
    self.refusedConnections =
      refusedConnections ?? Counter(label: "latchkey_connections_refused_total", factory: factory)
    abandonedRequests = Counter(label: "latchkey_requests_abandoned_total", factory: factory)
    handshakes = (
      Counter(label: "latchkey_handshakes_total", dimensions: [("certificate", "yes")], factory: factory),
      Counter(label: "latchkey_handshakes_total", dimensions: [("certificate", "no")], factory: factory)
    )
    connections = Meter(label: "latchkey_connections", factory: factory)
    unfinishedBodyBytes = Meter(label: "latchkey_unfinished_body_bytes", factory: factory)
  }

  /// Counts a request that is answered with a problem.
  func refused(_ code: Problem.Code) { refusals[code]?.increment() }

  /// A counter of a service's own, by name: `latchkey_` and what is counted, with `_total` behind. Labels are the service's own words,
  /// never a client's text.
  func counter(_ name: String, _ labels: [(String, String)] = []) -> Counter {
    Counter(label: name, dimensions: labels, factory: factory)
  }

  /// Counts an answered request.
  func answered(route: String?, method: HTTPRequest.Method, status: Int, nanoseconds: Int64) {
    let key = Key(route: route ?? "none", method: Self.known(method))
    let timer = routes.withLock { routes in
      if let known = routes[key] { return known.duration }
      let new = Timer(
        label: "latchkey_request_seconds", dimensions: [("route", key.route), ("method", key.method)],
        factory: factory)
      routes[key] = Handlers(duration: new)
      return new
    }
    timer.recordNanoseconds(nanoseconds)
    let statusKey = StatusKey(key: key, status: status)
    let counter = statuses.withLock { statuses in
      if let known = statuses[statusKey] { return known }
      let new = Counter(
        label: "latchkey_requests_total",
        dimensions: [("route", key.route), ("method", key.method), ("status", "\(status)")], factory: factory)
      statuses[statusKey] = new
      return new
    }
    counter.increment()
  }

  /// A standard HTTP method; `other` for any other.
  private static func known(_ method: HTTPRequest.Method) -> String {
    switch method {
    case .get, .head, .post, .put, .delete, .options, .trace, .patch, .connect: method.rawValue
    default: "other"
    }
  }
}
