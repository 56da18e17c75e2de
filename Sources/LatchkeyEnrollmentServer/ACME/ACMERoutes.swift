internal import HTTPTypes
internal import Hummingbird
internal import LatchkeyEnclaveKeys
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// ACME (RFC 8555) for devices that attest their key. Each route translates to a ceremony of the service. An account is its key, and
/// nothing of it is stored before its first order, which needs an enrollment token.
struct ACMERoutes: RouteGroup {
  static let certificateType = "application/pem-certificate-chain"

  private let services: Services

  init(_ services: Services) { self.services = services }

  /// The router's name for the label in a path: the name of a profile.
  static let label = "{label}"
  /// The router's name for the variable part of a resource.
  static let id = "{id}"

  private var orders: ACMEOrders { ACMEOrders(services: services) }

  func add(to router: Router<ServerContext>) {
    router.get(RouterPath(Routes.acmeDirectory)) { request, context in
      try await answering(context) {
        directory(try services.acmeHosts.base(of: request), orders: Routes.acmeOrders)
      }
    }
    router.get(RouterPath(Routes.acmeDirectory(label: Self.label))) { request, context in
      try await answering(context) {
        let profile = try await services.profile(ofLabel: context.parameters.require("label"))
        return directory(
          try services.acmeHosts.base(of: request), orders: Routes.acmeOrders(label: profile.name))
      }
    }
    router.get(RouterPath(Routes.acmeNonce)) { request, context in
      try await answering(context) {
        nonce(try services.acmeHosts.base(of: request), status: request.method == .head ? 200 : 204)
      }
    }
    addSignedReads(to: router)
    post(Routes.acmeAccounts, to: router) { request, _ in try await account(request) }
    post(Routes.acmeAccount(Self.id), to: router) { request, context in
      try request.requireAccount()
      guard context.parameters.get("id") == request.account.accountID else { throw ACMEProblem.noAccount }
      if !request.content.isEmpty, try request.payload.has("status") {
        throw ACMEProblem(
          .unauthorized, status: 403, detail: "an account is its key, and ends with it: this server keeps nothing of it"
        )
      }
      return accountAnswer(request, status: 200)
    }
    post(Routes.acmeOrders, to: router) { request, _ in try await order(request, profile: nil) }
    post(Routes.acmeOrders(label: Self.label), to: router) { request, context in
      try await order(request, profile: services.profile(ofLabel: context.parameters.require("label")).name)
    }
    post(Routes.acmeOrder(Self.id), to: router) { request, context in
      try request.requireNoContent()
      let order = try await orders.open(context.parameters.get("id"), request)
      return try await answer(order, request)
    }
    post(Routes.acmeAuthorization(Self.id), to: router) { request, context in
      if !request.content.isEmpty, try request.payload.has("status") {
        throw ACMEProblem(.malformed, detail: "an authorization ends with its order, and not before")
      }
      let order = try await orders.open(context.parameters.get("id"), request)
      return .json(ACMEDocuments(request.base).authorization(order), request)
    }
    post(Routes.acmeChallenge(Self.id), to: router) { request, context in
      var order = try await orders.open(context.parameters.get("id"), request)
      if !request.content.isEmpty {
        let isAnswer = order.record.outcome == nil
        order = try await orders.attest(order, request)
        if isAnswer, order.record.outcome == .refused { throw ACMEOrders.refusedAttestation }
      }
      var answer = ACMEAnswer.json(ACMEDocuments(request.base).challenge(order), request)
      answer.links.append("<\(request.base + Routes.acmeAuthorization(order.name))>;rel=\"up\"")
      return answer
    }
    post(Routes.acmeFinalization(Self.id), to: router) { request, context in
      let order = try await orders.open(context.parameters.get("id"), request)
      return try await answer(orders.finalize(order, request), request)
    }
    post(Routes.acmeCertificate(Self.id), to: router) { request, context in
      try request.requireNoContent()
      let order = try await orders.open(context.parameters.get("id"), request)
      guard case .valid(let device) = try await orders.state(of: order) else {
        throw ACMEProblem(.orderNotReady, status: 403, detail: "the order has no certificate")
      }
      let chain = device.certificates.map { PEMDocument(label: "CERTIFICATE", bytes: $0.bytes).text }.joined()
      return ACMEAnswer(status: 200, links: [ACMEAnswer.index(request.base)], body: (Self.certificateType, chain))
    }
    post(Routes.acmeRevocation, to: router) { request, _ in
      try await ACMERevocation(services: services).revoke(request)
      return ACMEAnswer(status: 200, links: [ACMEAnswer.index(request.base)])
    }
  }

  // MARK: Resources

  private func directory(_ base: String, orders path: String) -> ACMEAnswer {
    ACMEAnswer(status: 200, body: ("application/json", ACMEDocuments(base).directory(path).text))
  }

  private func nonce(_ base: String, status: Int) -> ACMEAnswer {
    ACMEAnswer(status: status, links: [ACMEAnswer.index(base)])
  }

  /// What a client without a nonce GETs is read by POST-as-GET, too (RFC 8555 6.3).
  private func addSignedReads(to router: Router<ServerContext>) {
    post(Routes.acmeDirectory, to: router) { request, _ in
      try request.requireRead()
      return directory(request.base, orders: Routes.acmeOrders)
    }
    post(Routes.acmeDirectory(label: Self.label), to: router) { request, context in
      try request.requireRead()
      let profile = try await services.profile(ofLabel: context.parameters.require("label"))
      return directory(request.base, orders: Routes.acmeOrders(label: profile.name))
    }
    post(Routes.acmeNonce, to: router) { request, _ in
      try request.requireRead()
      return nonce(request.base, status: 204)
    }
  }

  private func account(_ request: ACMERequest) async throws -> ACMEAnswer {
    guard request.hasKey else { throw ACMEProblem(.malformed, detail: "send the account's key as jwk") }
    let onlyExisting: Bool
    let payload = try request.payload
    do throws(JSONWebSignatureError) { onlyExisting = try payload.flag("onlyReturnExisting") } catch {
      throw ACMEProblem(error)
    }
    let (point, now) = (request.account.point, services.now)
    let isKnown = try await services.store.read { try $0.countACMEOrders(ofAccount: point, now: now) > 0 }
    guard isKnown || !onlyExisting else { throw ACMEProblem.noAccount }
    return accountAnswer(request, status: isKnown ? 200 : 201)
  }

  private func accountAnswer(_ request: ACMERequest, status: Int) -> ACMEAnswer {
    var answer = ACMEAnswer.json(["status": "valid"], request, status: status)
    answer.location = request.base + Routes.acmeAccount(request.account.accountID)
    return answer
  }

  private func order(_ request: ACMERequest, profile: String?) async throws -> ACMEAnswer {
    try request.requireAccount()
    return try await answer(orders.create(request, profile: profile), request, status: 201)
  }

  private func answer(_ order: ACMEOrder, _ request: ACMERequest, status: Int = 200) async throws -> ACMEAnswer {
    let state = try await orders.state(of: order)
    var answer = ACMEAnswer.json(ACMEDocuments(request.base).order(order, state), request, status: status)
    answer.location = request.base + Routes.acmeOrder(order.name)
    // An approver may take a while.
    if case .processing = state { answer.retryAfter = 60 }
    return answer
  }

  // MARK: Answers

  private func post(
    _ path: String, to router: Router<ServerContext>,
    _ body: @escaping @Sendable (ACMERequest, ServerContext) async throws -> ACMEAnswer
  ) {
    router.post(RouterPath(path)) { request, context in
      try await answering(context) { try await body(ACMERequest(request, services), context) }
    }
  }

  /// Runs a route; each answer has a fresh nonce, and each refusal ACME's form.
  private func answering(
    _ context: ServerContext, _ body: () async throws -> ACMEAnswer
  ) async throws -> Response {
    let answer: ACMEAnswer
    do {
      answer = try await body()
    } catch let problem as ACMEProblem {
      answer = ACMEAnswer(problem)
    } catch let error as CancellationError {
      throw error
    } catch {
      let problem = ProblemAnswer.problem(error, context, services.trouble)
      services.metrics.refused(problem.code)
      answer = ACMEAnswer(ACMEProblem(problem, retryAfter: (error as? TryLater)?.seconds))
    }
    return answer.response(nonce: try await services.acmeNonces.nonce(services))
  }
}

extension ACMEProblem {
  static let noAccount = ACMEProblem(.accountDoesNotExist, detail: "there is no such account")
}
