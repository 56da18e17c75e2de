internal import Hummingbird
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Opens sessions by password, and by certificate only.
struct LoginRoutes: RouteGroup {
  private let services: Services

  init(_ services: Services) { self.services = services }

  func add(to router: Router<ServerContext>) {
    router.post(RouterPath(Routes.login)) { [services] request, context in
      let login: PasswordLogin = try await request.value(within: services.limits)
      let session = try await PasswordLoginCeremony(services: services)
        .login(user: login.user, password: SecretBytes(password: login.password), from: LoginOrigin(context))
      return try Response.json(session.answer(now: services.now))
    }
    router.post(RouterPath(Routes.certificateLogin)) { [services] _, context in
      let session = try await CertificateLoginCeremony(services: services).login(context.requireDevice())
      return try Response.json(session.answer(now: services.now))
    }
  }
}
