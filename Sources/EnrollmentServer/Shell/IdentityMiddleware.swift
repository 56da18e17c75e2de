internal import EnrollmentProtocol
internal import EnrollmentStore
internal import Hummingbird
internal import Logging

/// Finds the device behind the connection's certificate, for every request anew: a handshake proves only who it was when the
/// connection began, and a resumed session verifies nothing.
///
/// A certificate that does not count is no error here: routes that need none still answer.
struct IdentityMiddleware: RouterMiddleware {
  typealias Context = ServerContext

  let services: Services

  func handle(
    _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    guard let fingerprint = context.connection?.fingerprint else { return try await next(request, context) }
    var context = context
    do {
      let now = services.now
      if let known = try services.directory.cached(fingerprint: fingerprint, now: now) {
        context.device = known
      } else {
        context.device = try await services.directory.device(fingerprint: fingerprint, now: now)
      }
    } catch {
      context.refusal = ProblemAnswer.problem(of: error) ?? Problem(.internalError)
      if context.refusal?.code == .internalError {
        context.logger.error("a certificate could not be looked up", metadata: ["error": "\(error)"])
      }
    }
    return try await next(request, context)
  }
}
