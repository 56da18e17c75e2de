internal import Hummingbird
internal import LatchkeyEnrollmentProtocol

/// Issues challenges, and logs in by a signed one.
struct ChallengeRoutes: RouteGroup {
  private let services: Services

  init(_ services: Services) { self.services = services }

  func add(to router: Router<ServerContext>) {
    router.post(RouterPath(Routes.challenges)) { [services] request, context in
      let wanted: ChallengeRequest = try await request.value(within: services.limits)
      let challenge = try await ChallengeCeremony(services: services)
        .challenge(wanted) { () throws(Problem) in try context.requireDevice() }
      return try Response.json(challenge)
    }
    router.post(RouterPath(Routes.keyLogin)) { [services] request, context in
      let login: KeyLogin = try await request.value(within: services.limits)
      let session = try await KeyLoginCeremony(services: services).login(login, over: context.device)
      return try Response.json(session.answer(now: services.now))
    }
  }
}
