internal import Hummingbird

/// Every route of the server. A ceremony that is not here is not served; one that is here stands in the OpenAPI document.
enum AllRoutes {
  /// What anyone who runs the server asks for: on a port of its own, where there is one, and nowhere else then.
  static func operational(_ services: Services) -> [any RouteGroup] { [HealthRoutes(services)] }

  static func groups(_ services: Services) -> [any RouteGroup] {
    (services.configuration.operations == nil ? operational(services) : []) + [
      OpenAPIRoute(services),
      LoginRoutes(services),
      RegistrationRoutes(services),
      ChallengeRoutes(services),
      DeviceRoutes(services),
      AuthorityRoutes(services),
      AccountRoutes(services),
      TransferRoutes(services),
    ] + (services.configuration.documented.map { [DocumentedRoutes(services, $0)] } ?? [])
  }
}
