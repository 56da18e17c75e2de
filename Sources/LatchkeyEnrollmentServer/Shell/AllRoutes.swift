internal import Hummingbird

/// All routes of the server. A ceremony that is not listed is not served; one that is listed appears in the OpenAPI document.
enum AllRoutes {
  /// The operator's routes: served on the separate port, if there is one, and then only there.
  static func operational(_ services: Services) -> [any RouteGroup] { [HealthRoutes(services)] }

  /// The routes of the admin listener.
  static func administrative(_ services: Services, _ address: OperationsAddress) -> [any RouteGroup] {
    operational(services) + (address.hasAdministration ? [AdministrationRoutes(services)] : [])
  }

  /// What is public and signed: served on the plain public listener, too.
  static func published(_ services: Services) -> [any RouteGroup] {
    [AuthorityRoutes(services), StatusRoutes(services)]
  }

  static func groups(_ services: Services) -> [any RouteGroup] {
    (services.configuration.operations == nil ? operational(services) : []) + [
      OpenAPIRoute(services),
      LoginRoutes(services),
      RegistrationRoutes(services),
      ChallengeRoutes(services),
      DeviceRoutes(services),
      ESTRoutes(services),
      ACMERoutes(services),
      DeviceApprovalRoutes(services),
    ] + published(services)
      + services.configuration.services.flatMap { service in
        [ServiceRoutes(services, service)] + ((service as? any RoutedService)?.routeGroups(services) ?? [])
      }
  }
}
