internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import LatchkeyEnrollmentProtocol
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Handles one request, from its head to the last byte of its response. It looks up the device; refuses a peer beyond its rate
/// limit, and an unknown path, before any of the body is buffered; reads the body within its size and time limits, so that no
/// route waits for its peer; runs the route; and maps any error to the problem that clients see. An unexpected error is logged,
/// and clients get only the request's ID.
///
/// All of it is one function instead of a chain of middlewares: every middleware would be a frame that each connection holds,
/// and a closure that each request allocates.
struct RequestAnswering: Sendable {
  let services: Services
  let responder: RouterResponder<ServerContext>
  let methods: PathMethods
  let observers: RequestObservers
  private let identity: RequestIdentity
  private let names: ListenerNames?
  private let tenant: TenantNames?

  /// - Parameters:
  ///   - names: the only names that requests may be for; nil: any.
  ///   - tenant: the same, of one tenant among several on the port.
  init(
    _ services: Services, _ routes: [any RouteGroup], names: ListenerNames? = nil, tenant: TenantNames? = nil
  ) {
    (self.names, self.tenant) = (names, tenant)
    let router = Self.router(routes)
    self.services = services
    responder = router.buildResponder()
    methods = PathMethods(router)
    observers = RequestObservers(logger: services.logger, metrics: services.metrics)
    identity = RequestIdentity(services: services)
  }

  static func router(_ routes: [any RouteGroup]) -> Router<ServerContext> {
    let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
    for group in routes { group.add(to: router) }
    return router
  }

  /// The handler for `Server`.
  ///
  /// - Throws: `HTTPParserError` for bytes that are not HTTP, which ends the connection; errors of the connection.
  func answer<Sender: ResponseSender & ~Copyable>(
    _ request: Request, _ sender: consuming Sender, channel: any Channel, of connection: ClientConnection?
  ) async throws {
    var context = ServerContext(source: ApplicationRequestContextSource(channel: channel, logger: services.logger))
    context.connection = connection
    let began = NIODeadline.now()
    let hasBody = Self.hasBody(request)
    let route = methods.route(at: request.uri.path)
    var response: Response
    do {
      var request = request
      if let names, !names.contains(request.head.authority) {
        throw Problem(
          .malformedRequest, detail: "this listener has another name: call it localhost, or name it with --admin-name")
      }
      if let tenant { try Self.checkDirection(of: request, to: tenant, connection) }
      try Self.checkHost(of: request)
      await identity.find(&context)
      try services.rates.admit(route, context, now: services.time)
      if hasBody { try limitLength(of: request) }
      guard route != nil else { throw HTTPError(.notFound) }
      if hasBody {
        try await readBody(of: &request, sender, context)
        // The device may have been revoked while the body arrived.
        await identity.find(&context)
      } else {
        request.body = Self.noBody
      }
      response = try await responder.respond(to: request, context: context)
      // The router itself answers if it has no route for the method.
      if context.endpointPath == RequestObservers.notFound {
        response = refusal(HTTPError(.notFound), of: request, context)
      }
    } catch let error as HTTPParserError {
      throw error
    } catch let gone as PeerGone {
      observers.abandoned(route: route, gone.error)
      throw gone
    } catch {
      if error is CancellationError, await Self.isGone(channel) {
        observers.abandoned(route: route, error)
        throw PeerGone(error: error)
      }
      response = refusal(error, of: request, context)
    }
    if request.method == .head { response = response.createHeadResponse() }
    response.headers = ProblemAnswer.completed(response.headers, status: response.status.code)
    response.headers.append(HTTPField(name: .date, value: HTTPDates.shared.now))
    observers.answered(
      method: request.method, route: route, status: response.status.code, in: .now() - began,
      requestID: context.requestID, connection: context.connection, device: context.device)
    try await sender.send(response.head, response.body)
  }

  /// Refuses a request that is for another tenant than its connection. Each authority counts that it may have: `:authority` or Host (of a
  /// target in absolute form, its own: `RequestHeads`), and a Host beside `:authority`.
  ///
  /// - Throws: `.misdirected`.
  private static func checkDirection(
    of request: Request, to tenant: TenantNames, _ connection: ClientConnection?
  ) throws {
    let isNamed = connection?.namesTenant ?? true
    let hosts = hostName.map { request.head.headerFields[values: $0] } ?? []
    let all = hosts + [request.head.authority].compactMap { $0 }
    guard all.allSatisfy({ tenant.contain($0, isNamed: isNamed) }) else {
      throw Problem(
        .misdirected, detail: "connect anew for this host: the TLS server name and the request's host differ")
    }
  }

  /// Refuses a request of HTTP/2 whose Host is another one's than its `:authority` (RFC 9113 8.3.1): a proxy that goes by
  /// the one takes it for another request. With HTTP/1.1 there is one authority, and no field beside it.
  ///
  /// - Throws: `.malformedRequest`.
  private static func checkHost(of request: Request) throws {
    guard let hosts = hostName.map({ request.head.headerFields[values: $0] }), let host = hosts.first else { return }
    let authority = request.head.authority ?? host
    guard hosts.count == 1, host.lowercased() == authority.lowercased() else {
      throw Problem(.malformedRequest, detail: "Host and :authority differ (RFC 9113 8.3.1): send the latter alone")
    }
  }

  private static let hostName = HTTPField.Name("Host")

  /// Whether the connection or the stream of HTTP/2 has ended. An error of a connection of HTTP/2 cancels the tasks of its requests just
  /// before its channels end, so that their loop is asked.
  private static func isGone(_ channel: any Channel) async -> Bool {
    do { return try await channel.eventLoop.submit { !channel.isActive }.get() } catch { return true }
  }

  /// The body will not arrive, or nobody waits for the response: the peer disconnected, or was disconnected. No response is possible.
  private struct PeerGone: Error {
    let error: any Error
  }

  /// Replaces the request's body, so that no route waits for one that does not arrive.
  private static let noBody = RequestBody(buffer: ByteBuffer())

  private func limitLength(of request: Request) throws {
    let limit = services.limits.bodySize
    if let length = request.headers[.contentLength].map({ Int($0) ?? .max }), length > limit {
      throw NIOTooManyBytesError(maxBytes: limit)
    }
  }

  private func readBody<Sender: ResponseSender & ~Copyable>(
    of request: inout Request, _ sender: borrowing Sender, _ context: ServerContext
  ) async throws {
    let held = try context.connection.map { try services.bodies.begin(on: $0) }
    defer { held?.end() }
    do {
      // Some clients wait until the server requests the body (RFC 9110 10.1.1).
      if request.headers[.expect]?.lowercased() == "100-continue" {
        try await sender.sendInterim(HTTPResponse(status: .continue))
      }
      request.body = RequestBody(buffer: try await collect(request.body, held))
    } catch let error as HTTPParserError where error != .invalidEOFState {
      throw error
    } catch let error as NIOTooManyBytesError {
      throw error
    } catch let error as TryLater {
      throw error
    } catch {
      throw PeerGone(error: error)
    }
  }

  private func collect(_ body: RequestBody, _ held: UnfinishedBody?) async throws -> ByteBuffer {
    var whole = ByteBuffer()
    for try await part in body {
      guard whole.readableBytes + part.readableBytes <= services.limits.bodySize else {
        throw NIOTooManyBytesError(maxBytes: services.limits.bodySize)
      }
      try held?.grow(to: whole.readableBytes + part.readableBytes)
      // Copied, since a part may be a slice that would retain a larger buffer.
      whole.writeImmutableBuffer(part)
    }
    return whole
  }

  // MARK: Refusals

  private func refusal(
    _ error: any Error, of request: Request, _ context: ServerContext
  ) -> Response {
    if (error as? HTTPError)?.status == .notFound, let allowed = methods.allowed(on: request.uri.path) {
      let problem = Problem(.methodNotAllowed, detail: "this path has \(allowed)")
      services.metrics.refused(problem.code)
      var response = self.response(to: problem, problem, of: request, context)
      response.headers[.allow] = allowed
      return response
    }
    if error is NIOTooManyBytesError { return tooLarge(request, context) }
    let problem = ProblemAnswer.problem(error, context, services.trouble)
    services.metrics.refused(problem.code)
    return response(to: problem, error, of: request, context)
  }

  /// A refusal in the form of the request's protocol.
  private func response(
    to problem: Problem, _ error: any Error, of request: Request, _ context: ServerContext
  ) -> Response {
    if let sealed = SealedRoute(services).sealed(problem, error, of: request, context) { return sealed }
    let later = (error as? TryLater)?.seconds
    if request.uri.path.hasPrefix(Routes.acme + "/") {
      return ACMEAnswer(ACMEProblem(problem, retryAfter: later)).response(nonce: nil)
    }
    var response = ProblemAnswer.response(problem, requestID: context.requestID)
    if let later { response.headers[.retryAfter] = "\(later)" }
    return response
  }

  /// Refuses the rest of the body.
  private func tooLarge(_ request: Request, _ context: ServerContext) -> Response {
    let problem = Problem(.tooLarge, detail: "send at most \(services.limits.bodySize) bytes")
    services.metrics.refused(problem.code)
    context.connection?.endSoon(now: .now())
    return response(to: problem, problem, of: request, context)
  }

  /// With HTTP/2 a body need not be announced by a field.
  private static func hasBody(_ request: Request) -> Bool {
    if request.headers.contains(.contentLength) || request.headers.contains(.transferEncoding) { return true }
    return request.method != .get && request.method != .head && request.method != .options
  }
}
