internal import Hummingbird

/// The paths that are served, each with its methods. No route has a part that varies, so a path is served as it stands here, to
/// the letter, and as nothing else: whatever is decided by route, limits first of all, is decided by what will answer.
struct PathMethods: Sendable {
  private let methods: [String: String]

  /// Of a router in which all routes are.
  init(_ router: Router<ServerContext>) {
    methods = Dictionary(grouping: router.routes, by: \.path.description).mapValues { routes in
      var methods = Set(routes.map(\.method.rawValue))
      // Wherever GET is answered HEAD is (RFC 9110 9.1): the router sees to that.
      if methods.contains("GET") { methods.insert("HEAD") }
      return methods.sorted().joined(separator: ", ")
    }
  }

  /// The route that answers at this path; nil for a path that is not served, also where the router would find its way from it: it
  /// drops components that are empty.
  func route(at path: String) -> String? { methods[path] == nil ? nil : path }

  /// The methods of a path, as the field Allow has them; nil if there is no such path.
  func allowed(on path: String) -> String? { methods[path] }
}
