internal import Hummingbird
internal import LatchkeyEnrollmentProtocol
internal import NIOCore

/// The OpenAPI document, without authentication.
struct OpenAPIRoute: RouteGroup {
  private let document: JSONLiteral

  init(_ services: Services) {
    document = OpenAPIDocument.value(
      services: services.configuration.services, operational: services.configuration.operations == nil)
  }

  func add(to router: Router<ServerContext>) {
    let body = ByteBuffer(string: document.text)
    router.get(RouterPath(Routes.openAPI)) { _, _ in
      var response = Response(status: .ok, body: ResponseBody(byteBuffer: body))
      response.headers[.contentType] = "application/json"
      return response
    }
  }
}
