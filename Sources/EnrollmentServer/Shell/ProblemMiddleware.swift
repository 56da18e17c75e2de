internal import EnrollmentProtocol
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Synchronization

/// Outermost: what a route throws becomes the problem that clients see; what nobody foresaw is logged, and they hear only its name.
struct ProblemMiddleware: RouterMiddleware {
  typealias Context = ServerContext

  /// What other methods a path has; known once all routes are.
  let methods: PathMethods

  func handle(
    _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    do {
      var response = try await next(request, context)
      response.headers = ProblemAnswer.completed(response.headers, status: response.status.code)
      return response
    } catch {
      return answer(to: error, request: request, context: context)
    }
  }

  private func answer(to error: any Error, request: Request, context: ServerContext) -> Response {
    if (error as? HTTPError)?.status == .notFound, let allowed = methods.allowed(on: request.uri.path) {
      var response = ProblemAnswer.response(
        Problem(.methodNotAllowed, detail: "this path has \(allowed)"), requestID: context.requestID)
      response.headers[.allow] = allowed
      return response
    }
    guard let problem = ProblemAnswer.problem(of: error) else {
      context.logger.error(
        "a request failed", metadata: ["request": "\(context.requestID)", "error": "\(String(reflecting: error))"])
      return ProblemAnswer.response(Problem(.internalError), requestID: context.requestID)
    }
    var response = ProblemAnswer.response(problem, requestID: context.requestID)
    if let later = error as? TryLater { response.headers[.retryAfter] = "\(later.seconds)" }
    return response
  }
}

/// The methods of each path.
final class PathMethods: Sendable {
  private let table = Mutex<[String: String]>([:])

  /// Notes a router's routes, when all are in it.
  func note(_ routes: [(path: String, method: String)]) {
    let methods = Dictionary(grouping: routes, by: \.path).mapValues {
      $0.map(\.method).sorted().joined(separator: ", ")
    }
    table.withLock { $0 = methods }
  }

  /// The methods of a path, as the field Allow has them; nil if there is no such path.
  func allowed(on path: String) -> String? { table.withLock { $0[path] } }
}
