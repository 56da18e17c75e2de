internal import HTTPTypes
internal import Hummingbird
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentServer
internal import LatchkeyEnrollmentStore
internal import LatchkeySealedMessages

/// The old service (Examples/002-sealed-transfer), for clients that cannot be changed. It is served only if the configuration
/// names its keys.
struct LegacyEnrollmentRoutes: RouteGroup {
  private let services: Services
  private let policy: LedgerPolicy
  private let service: LegacyEnrollmentService

  init(_ services: Services, _ policy: LedgerPolicy, _ service: LegacyEnrollmentService) {
    self.services = services
    self.policy = policy
    self.service = service
  }

  package func add(to router: Router<ServerContext>) {
    router.post(RouterPath(LegacyEnrollment.authenticate)) { [self] request, context in
      try await LegacyAnswer.of { try await logIn(request, context) }
    }
    router.post(RouterPath(LegacyEnrollment.authenticateCertificate)) { [self] request, context in
      try await LegacyAnswer.of { try await logInByCertificate(request, context) }
    }
    router.get(RouterPath(LegacyEnrollment.accounts)) { [self] request, context in
      try await LegacyAnswer.of { try await accounts(request, context) }
    }
    router.post(RouterPath(LegacyEnrollment.transferFunds)) { [self] request, context in
      try await LegacyAnswer.of { try await transfer(request, context) }
    }
  }

  /// HTTP Basic; with `register=true`, registers a device whose key is generated here, and returns a PKCS#12 file under the
  /// passphrase `pin`.
  private func logIn(_ request: Request, _ context: ServerContext) async throws -> Response {
    guard let credentials = BasicCredentials(request.headers[.authorization]) else {
      throw Problem(.notAuthenticated)
    }
    let login = LegacyLogin(services: services)
    let query = LegacyQuery(request)
    guard query["register"] == "true" else {
      let token = try await login.login(
        user: credentials.user, password: credentials.password, from: LoginOrigin(context))
      return LegacyAnswer.success([("token", token)])
    }
    guard let pin = query["pin"], !pin.isEmpty else { throw Problem(.malformedRequest) }
    let (token, file) = try await login.register(
      user: credentials.user, password: credentials.password, pin: pin, from: LoginOrigin(context))
    return LegacyAnswer.success([("token", token), ("certificate", Base64.encode(file))])
  }

  /// Logs in by the certificate, and the PIN with which it was registered: base64 of AES under a zero IV.
  private func logInByCertificate(_ request: Request, _ context: ServerContext) async throws -> Response {
    let device = try context.requireDevice()
    let pin = try? LegacyPIN.open(LegacyQuery(request)["pin"] ?? "", keys: service.keys)
    let token = try await LegacyLogin(services: services).login(device, pin: pin)
    return LegacyAnswer.success([("token", token)])
  }

  private func accounts(_ request: Request, _ context: ServerContext) async throws -> Response {
    let caller = try caller(context, token: Self.headerToken(request))
    let now = services.now
    let accounts = try await services.store.read { store in
      try store.accounts(of: caller.user(in: store, now: now))
    }
    let plaintext = LegacyAccount.plaintext(
      of: accounts.map {
        LegacyAccount(
          name: $0.name, number: $0.number, balance: Amount(minorUnits: $0.balance).description)
      })
    let body = try LegacyEnvelope.sealResponse(plaintext, keys: service.keys, random: services.random)
    return Response.bytes(body, type: LegacyAnswer.contentType)
  }

  private func transfer(_ request: Request, _ context: ServerContext) async throws -> Response {
    // An unauthenticated caller learns nothing about the content that it sent.
    if !service.allowsMissingCertificate { _ = try context.requireDevice() }
    let body = try await request.bytes(within: services.limits)
    guard let opened = try? LegacyEnvelope.openTransfer(body, keys: service.keys) else {
      throw LegacyAnswer.Refusal.integrity
    }
    let ceremony = LegacyTransferCeremony(
      opened: opened, caller: try caller(context, token: Self.headerToken(request) ?? opened.token), service: service,
      booking: .random(), now: services.now,
      clockSkew: services.policy.window.skew, policy: policy)
    try await services.store.write(ceremony.run).get()
    services.noteDecision(of: LedgerService.name)
    return Response(status: .ok, headers: [.contentType: LegacyAnswer.contentType])
  }

  private func caller(_ context: ServerContext, token: String?) throws(Problem) -> LegacyCaller {
    guard let token, (16...512).contains(token.utf8.count) else { throw Problem(.notAuthenticated) }
    let device = service.allowsMissingCertificate ? context.device : try context.requireDevice()
    return LegacyCaller(device: device, token: BearerToken(token))
  }

  private static func headerToken(_ request: Request) -> String? {
    HTTPField.Name(LegacyEnrollment.tokenHeader).flatMap { request.headers[$0] }
  }
}
