internal import Hummingbird
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// The routes of administrators: on the admin listener, and never on the public port.
struct AdministrationRoutes: RouteGroup {
  private let services: Services
  private let access: AdministrationAccess

  init(_ services: Services) {
    self.services = services
    access = AdministrationAccess(services)
  }

  func add(to router: Router<ServerContext>) {
    for operation in AdministrationOperations.all {
      router.on(RouterPath(operation.fullPath), method: operation.method) { [self] request, context in
        try await answer(request, context, operation)
      }
    }
  }

  private func answer(
    _ request: Request, _ context: ServerContext, _ operation: AdministrationOperation
  ) async throws -> Response {
    let administrator = try await access.administrator(of: request, context, atLeast: operation.role)
    let call = AdministrationCall(
      services: services, administrator: administrator, request: request,
      query: try QueryValues.read(
        request, isKnown: { name in operation.parameters.contains { $0.name == name } },
        longest: { $0 == "cursor" ? 1024 : 256 }))
    do {
      let response = try await operation.run(call)
      // Before the answer: what was revoked or disabled is refused here from now on, on other servers within their staleness.
      if operation.changesDevices { services.directory.forget() }
      return response
    } catch let error as OperatorError {
      throw Self.problem(of: error)
    }
  }

  private static func problem(of error: OperatorError) -> Problem {
    switch error {
    case .exists(let text): Problem(.conflict, detail: text)
    case .notFound(let text): Problem(.notFound, detail: text)
    case .invalid(let text): Problem(.invalidValue, detail: text)
    }
  }
}
