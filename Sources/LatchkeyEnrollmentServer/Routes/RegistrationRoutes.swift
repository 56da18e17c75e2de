internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LatchkeyEnrollmentProtocol

/// Registers devices, for a session that a password opened: with their own key, or one that the server generates.
struct RegistrationRoutes: RouteGroup {
  private let services: Services

  init(_ services: Services) { self.services = services }

  func add(to router: Router<ServerContext>) {
    router.post(RouterPath(Routes.devices)) { [services] request, _ in
      let ceremony = RegistrationCeremony(services: services, token: try BearerToken(request))
      let key = try Self.key(request)
      let body = try await request.bytes(within: services.limits)
      let registration: DeviceRegistration = try JSONBytes.decode(
        body, contentType: request.headers[.contentType], limits: services.limits)
      let answer = try await ceremony.register(
        registration, key: key,
        digest: IdempotencyKey.digest(method: "POST", path: Routes.devices, body: body))
      var response = Response.bytes(
        answer.body, type: "application/json", status: answer.status == 202 ? .accepted : .created)
      if answer.isReplayed, let name = HTTPField.Name(HeaderNames.idempotencyReplayed) {
        response.headers[name] = "true"
      }
      return response
    }
    router.post(RouterPath(Routes.serverMadeIdentities)) { [services] request, _ in
      let registration = RegistrationCeremony(services: services, token: try BearerToken(request))
      let wanted: ServerMadeIdentityRequest = try await request.value(within: services.limits)
      return try Response.json(
        await ServerMadeIdentityCeremony(registration).register(wanted), status: .created)
    }
  }

  private static func key(_ request: Request) throws(Problem) -> IdempotencyKey {
    let field = HTTPField.Name(HeaderNames.idempotencyKey).flatMap { request.headers[$0] }
    guard let key = field.flatMap(IdempotencyKey.init(field:)) else {
      throw Problem(
        .malformedRequest, detail: "send an Idempotency-Key of 16 to 128 letters, digits, dashes or underscores")
    }
    return key
  }
}
