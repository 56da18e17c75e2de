internal import EnrollmentProtocol
internal import Hummingbird
internal import NIOCore

/// The OpenAPI document, for anybody.
struct OpenAPIRoute: RouteGroup {
  func add(to router: Router<ServerContext>) {
    let body = ByteBuffer(string: OpenAPIDocument.text)
    router.get(RouterPath(Routes.openAPI)) { _, _ in
      var response = Response(status: .ok, body: ResponseBody(byteBuffer: body))
      response.headers[.contentType] = "application/json"
      return response
    }
  }
}
