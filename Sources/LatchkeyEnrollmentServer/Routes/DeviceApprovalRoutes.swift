internal import Hummingbird
internal import LatchkeyEnrollmentProtocol

/// The new devices of a user, which an older one approves.
struct DeviceApprovalRoutes: RouteGroup {
  private let services: Services
  private let route: SealedRoute

  init(_ services: Services) {
    self.services = services
    route = SealedRoute(services)
  }

  func add(to router: Router<ServerContext>) {
    router.get(RouterPath(Routes.pendingDevices)) { [services, route] request, context in
      try await route.answer(request, context) { sealed in
        try SealedAnswer(await DeviceApprovalCeremony(services: services).pending(over: sealed.device))
      }
    }
    router.post(RouterPath(Routes.deviceApproval)) { [services, route] request, context in
      try await route.answer(request, context) { sealed in
        let decision: DeviceDecision = try JSONBytes.decode(
          sealed.body, contentType: sealed.contentType, limits: services.limits)
        try await DeviceApprovalCeremony(services: services).decide(decision, over: sealed.device)
        return SealedAnswer.noContent
      }
    }
  }
}
