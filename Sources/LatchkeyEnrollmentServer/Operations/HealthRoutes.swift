internal import Hummingbird
internal import LatchkeyEnrollmentProtocol
internal import NIOCore

/// Liveness, readiness and metrics. They need no certificate, because they reveal nothing about users.
struct HealthRoutes: RouteGroup {
  private let services: Services

  init(_ services: Services) { self.services = services }

  func add(to router: Router<ServerContext>) {
    router.get(RouterPath(Routes.live)) { _, _ in try Self.json(Health(status: "live")) }
    router.get(RouterPath(Routes.ready)) { [services] _, _ in
      if let obstacle = await services.readiness.obstacle(now: services.configuration.clock()) { throw obstacle }
      return try Self.json(Health(status: "ready"))
    }
    router.get(RouterPath(Routes.metrics)) { [services] _, _ in
      let configuration = services.configuration
      var text = configuration.metrics.text + (configuration.portMetrics?.seriesText ?? "") + ProcessMetrics.text
      if let age = services.revocationLists.age(now: services.now) {
        text += services.configuration.metrics.line("latchkey_crl_age_seconds", "\(age)")
      }
      var response = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
      response.headers[.contentType] = PrometheusMetrics.mediaType
      return response
    }
  }

  private static func json(_ value: some Encodable) throws -> Response {
    var response = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSONBytes.encode(value))))
    response.headers[.contentType] = "application/json"
    return response
  }

  private struct Health: Encodable {
    let status: String
  }
}
