internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeySealedMessages

/// The routes of a service.
struct ServiceRoutes: RouteGroup {
  private let services: Services
  private let service: any DeviceService
  private let route: SealedRoute

  init(_ services: Services, _ service: any DeviceService) {
    self.services = services
    self.service = service
    route = SealedRoute(services)
  }

  func add(to router: Router<ServerContext>) {
    for served in service.routes {
      let method = HTTPRequest.Method(served.operation.method) ?? .get
      router.on(RouterPath(served.operation.path), method: method) { [self] request, context in
        try await route.answer(request, context, checksToken: true) { sealed in
          switch served.kind {
          case .signed(let prepare): try await decide(sealed, served.operation.route, prepare)
          case .authenticated(let body): try await read(sealed, served.operation, body)
          }
        }
      }
    }
  }

  private func given(_ request: SealedRequest, query: [String: String] = [:], now: Int64) -> ServiceRequest {
    ServiceRequest(
      device: request.device.id, user: request.device.user, query: query, body: request.body, now: now,
      clockSkew: services.policy.window.skew, contentType: request.contentType, limits: services.limits)
  }

  private func read(
    _ request: SealedRequest, _ operation: ServiceOperation,
    _ body: @escaping @Sendable (ServiceRequest, ServiceTransaction) throws -> ServiceAnswer
  ) async throws -> SealedAnswer {
    let (now, name, route) = (services.now, service.name, operation.route)
    let query = try request.query { name in operation.parameters.contains { $0.name == name } }
    for parameter in operation.parameters where parameter.isRequired && query[parameter.name] == nil {
      throw Problem(.malformedRequest, detail: "give the parameter \(parameter.name)")
    }
    let given = given(request, query: query, now: now)
    let (watch, limit) = (services.serviceWatch, services.limits.answerSize)
    let answer = try await services.store.read { store in
      let transaction = ServiceTransaction(store, service: name, now: now)
      defer { transaction.end() }
      let answer = try watch.run(name, route) { try body(given, transaction) }
      try answer.check(route, limit)
      return answer
    }
    return SealedAnswer(json: answer.body, status: answer.status)
  }

  /// Decides a signed request once, however often it is sent.
  private func decide(
    _ request: SealedRequest, _ route: String, _ prepare: @Sendable (ServiceRequest) throws -> ServiceRoute.Decision
  ) async throws -> SealedAnswer {
    let now = services.now
    guard let message = request.message else {
      throw Problem(.malformedRequest, detail: "sign the request with the device's identity key (RFC 9421)")
    }
    let signature = try await verified(message, request, now: now)
    guard let key = message.fields[HeaderNames.idempotencyKey].flatMap(IdempotencyKey.init(field:)) else {
      throw Problem(
        .malformedRequest, detail: "send an Idempotency-Key of 16 to 128 letters, digits, dashes or underscores")
    }
    let (given, watch, name) = (given(request, now: now), services.serviceWatch, service.name)
    let wasCancelled = Task.isCancelled
    let decide = try watch.run(name, route) { try prepare(given) }
    // The write below would be taken back, as if the client had gone.
    guard wasCancelled || !Task.isCancelled else { throw DeviceServiceError.canceled(route: route) }
    let (policy, limit) = (services.policy, services.limits.answerSize)
    let ceremony = SealedCeremony(
      service: service.name, key: key,
      digest: IdempotencyKey.digest(method: message.method, path: request.path, body: request.body),
      certificate: request.device.fingerprint, signature: signature, approval: try approval(message),
      challenge: ChallengeRecord(
        id: .random(), value: services.random(32), device: request.device.id, purpose: .service(service.name),
        content: nil,
        expires: now + policy.challengeLifetime),
      now: now, policy: policy,
      decide: { store in
        let decision = try watch.run(name, route) { try decide(store) }
        if case .kept(let answer) = decision { try answer.check(route, limit) }
        return decision
      })
    switch try await ceremony.perform(in: services.store) {
    case .refused(let problem):
      services.metrics.noteDecision(of: service.name, problem.code.rawValue)
      throw problem
    case .otherKey:
      services.directory.forget([request.device.fingerprint])
      throw Self.notSigned
    case .decided(let status, let body):
      services.metrics.noteDecision(of: service.name, Self.outcome(status, body))
      return SealedAnswer(json: body, status: status)
    case .replayed(let status, let body):
      services.metrics.noteDecision(of: service.name, "repeated")
      var answer = SealedAnswer(json: body, status: status)
      answer.fields.append((HeaderNames.idempotencyReplayed, "true"))
      return answer
    }
  }

  /// What a kept answer counts as.
  private static func outcome(_ status: Int, _ body: [UInt8]) -> String {
    guard status >= 400 else { return "done" }
    return (try? JSONDecoder().decode(Problem.self, from: Data(body)).code.rawValue) ?? "refused"
  }

  /// Verifies that the request's signature is the device's, and returns its content. The cached device may predate the signing
  /// key, so on failure the store decides which key is current.
  private func verified(
    _ message: HTTPRequestMessage, _ request: SealedRequest, now: Int64
  ) async throws -> SealedProfile.Verified {
    do throws(Problem) {
      return try Self.verified(message, request.body, request.device, policy: services.policy, now: now)
    } catch {
      guard error.code == .notAuthenticated else { throw error }
      let fingerprint = request.device.fingerprint
      let known = try await services.store.read { KnownCertificate(try $0.certificate(fingerprint: fingerprint)) }
      let device = try known.device(at: now)
      guard device.identityKey != request.device.identityKey else { throw error }
      services.directory.forget([fingerprint])
      return try Self.verified(message, request.body, device, policy: services.policy, now: now)
    }
  }

  private static let notSigned = Problem(
    .notAuthenticated, detail: "sign the request with the device's identity key")

  private static func verified(
    _ message: HTTPRequestMessage, _ body: [UInt8], _ device: AuthenticatedDevice, policy: ServerPolicy, now: Int64
  ) throws(Problem) -> SealedProfile.Verified {
    do throws(SealedMessageError) {
      let own: (String) throws(SealedMessageError) -> [UInt8]? = { keyID in
        keyID == device.id.description ? device.identityKey : nil
      }
      return try SealedProfile.verify(
        message, body: body, now: now, window: policy.window, publicKey: own)
    } catch {
      switch error {
      case .outsideWindow:
        throw Problem(.clockSkew, detail: "set the clock; the server's is in serverTime", serverTime: now)
      case .malformed(let what), .notCovered(let what):
        throw Problem(.malformedRequest, detail: "the request's signature: \(what)")
      case .notAuthentic, .misuse: throw notSigned
      }
    }
  }

  private func approval(_ message: HTTPRequestMessage) throws -> Approval? {
    guard let field = message.fields[HeaderNames.approval] else { return nil }
    guard field.utf8.count <= 1024, let json = Base64URL.decode(field) else {
      throw Problem(.malformedRequest, detail: "\(HeaderNames.approval) is base64url of JSON")
    }
    return try JSONBytes.decode(json, contentType: "application/json", limits: services.limits)
  }
}

extension Services {
  /// Counts a request that a service did on a route of its own.
  package func noteDecision(of service: String) { metrics.noteDecision(of: service, "done") }
}
