internal import Hummingbird

/// The served paths with their methods. No route has a variable part, so a path is matched literally: every decision by route,
/// rate limits first, concerns the route that answers.
struct PathMethods: Sendable {
  private let methods: [String: String]

  /// Reads them from a router with all routes.
  init(_ router: Router<ServerContext>) {
    methods = Dictionary(grouping: router.routes, by: \.path.description).mapValues { routes in
      var methods = Set(routes.map(\.method.rawValue))
      // The router answers HEAD wherever it answers GET (RFC 9110 9.1).
      if methods.contains("GET") { methods.insert("HEAD") }
      return methods.sorted().joined(separator: ", ")
    }
  }

  /// The route of this path; nil for a path that is not served, even if the router would accept it: the router ignores empty
  /// components.
  func route(at path: String) -> String? { methods[path] == nil ? nil : path }

  /// The methods of a path, in the form of the Allow field; nil for an unknown path.
  func allowed(on path: String) -> String? { methods[path] }
}
