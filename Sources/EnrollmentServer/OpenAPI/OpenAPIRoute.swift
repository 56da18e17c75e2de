internal import EnrollmentProtocol
internal import Hummingbird
internal import NIOCore

/// The OpenAPI document, for anybody.
struct OpenAPIRoute: RouteGroup {
  private let isDocumented: Bool

  init(_ services: Services) { isDocumented = services.configuration.documented != nil }

  func add(to router: Router<ServerContext>) {
    let body = ByteBuffer(string: OpenAPIDocument.value(documented: isDocumented).text)
    router.get(RouterPath(Routes.openAPI)) { _, _ in
      var response = Response(status: .ok, body: ResponseBody(byteBuffer: body))
      response.headers[.contentType] = "application/json"
      return response
    }
  }
}
