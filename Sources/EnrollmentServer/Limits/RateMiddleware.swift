internal import EnrollmentProtocol
internal import Hummingbird
internal import NIOCore

/// Refuses whoever asks too often, before anything is computed for them.
struct RateMiddleware: RouterMiddleware {
  typealias Context = ServerContext

  let rates: RateLimits

  /// What costs a hash of a password, a signature of the authority or a row, for anybody who reaches the port.
  private static let costly: Set<String> = [
    Routes.login, Routes.keyLogin, Routes.challenges, Routes.devices, Routes.serverMadeIdentities,
    Documented.authenticate, Documented.authenticateCertificate,
  ]

  func handle(
    _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    if let device = context.device {
      try rates.admit(device: device.id, now: .now())
    } else if Self.costly.contains(request.uri.path) {
      try rates.admitLogin(from: context.connection?.address ?? "", now: .now())
    }
    return try await next(request, context)
  }
}
