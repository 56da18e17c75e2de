internal import HTTPTypes
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import NIOCore
internal import NIOHTTP1

/// A GET route whose response depends only on the device, and is the same until the device changes.
struct DirectRoute: Sendable {
  let path: String
  /// The JSON of the response; nil if the route's ordinary handler must respond.
  let body: @Sendable (AuthenticatedDevice) -> [UInt8]?
}

/// Answers HTTP/1.1 requests on their connection's event loop, without a task or a change of threads, if the device is cached
/// and the route is a ``DirectRoute``. Polling devices send nearly nothing else.
///
/// The checks are those of `RequestAnswering`: certificate and revocation, then the rate limit. Any request that would not
/// get the plain response with status 200 (a refusal, a signed response, a body, another version or method) takes the ordinary
/// way, which alone decides what it gets.
final class DirectAnswers: Sendable {
  private let services: Services
  private let observers: RequestObservers
  private let routes: [String: DirectRoute]
  private let tenant: TenantNames?

  init(
    _ services: Services, observers: RequestObservers, _ groups: [any RouteGroup], tenant: TenantNames? = nil
  ) {
    self.tenant = tenant
    self.services = services
    self.observers = observers
    routes = Dictionary(
      groups.compactMap { $0 as? any DirectRouteGroup }.flatMap(\.directRoutes).map { ($0.path, $0) }
    ) { first, _ in first }
  }

  /// The fields of requests that are not answered here: signed responses, bodies, and interim responses.
  private static let excluded = [
    "signature", "signature-input", "accept-signature", "content-length", "transfer-encoding", "expect",
  ]

  /// The whole response, as bytes of HTTP/1.1; nil if the request takes the ordinary way.
  func response(to head: HTTPRequestHead, over connection: ClientConnection) -> ByteBuffer? {
    guard head.method == .GET, head.version == .http1_1, let route = routes[head.uri], head.isKeepAlive,
      let fingerprint = connection.fingerprint, !Self.excluded.contains(where: head.headers.contains)
    else { return nil }
    if let tenant, !tenant.contain(head.headers.first(name: "host"), isNamed: connection.namesTenant) { return nil }
    let began = NIODeadline.now()
    let clock = services.time
    let now = Int64(clock.uptimeNanoseconds / 1_000_000_000)
    guard let device = (try? services.directory.cached(fingerprint: fingerprint, now: now)) ?? nil,
      let body = route.body(device), (try? services.rates.admit(device: device.id, now: clock)) != nil
    else { return nil }
    let bytes = Self.bytes(body)
    observers.answered(
      method: .get, route: route.path, status: 200, in: .now() - began, requestID: RequestNumber().description,
      connection: connection, device: device)
    return bytes
  }

  private static func bytes(_ body: [UInt8]) -> ByteBuffer {
    var buffer = ByteBufferAllocator().buffer(capacity: 192 + body.count)
    buffer.writeStaticString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nDate: ")
    buffer.writeString(HTTPDates.shared.now)
    buffer.writeStaticString("\r\nContent-Length: ")
    buffer.writeString(String(body.count))
    buffer.writeStaticString("\r\n\r\n")
    buffer.writeBytes(body)
    return buffer
  }
}
