internal import Hummingbird

/// The served paths with their methods. A path is matched literally, or component by component where a route has variable parts:
/// every decision by route, rate limits first, concerns the route that answers.
struct PathMethods: Sendable {
  private let methods: [String: String]
  /// Routes with variable parts: `{name}` for one component, `**` at the end for all that follow.
  private let patterns: [(components: [Substring], route: String)]

  /// Reads them from a router with all routes.
  init(_ router: Router<ServerContext>) {
    methods = Dictionary(grouping: router.routes, by: \.path.description).mapValues { routes in
      var methods = Set(routes.map(\.method.rawValue))
      // The router answers HEAD wherever it answers GET (RFC 9110 9.1).
      if methods.contains("GET") { methods.insert("HEAD") }
      return methods.sorted().joined(separator: ", ")
    }
    patterns = methods.keys.filter { $0.contains("{") || $0.hasSuffix("/**") }.sorted()
      .map { ($0.split(separator: "/", omittingEmptySubsequences: false), $0) }
  }

  /// The route of this path; nil for a path that is not served, even if the router would accept it: the router ignores empty
  /// components.
  func route(at path: String) -> String? {
    if methods[path] != nil, !patterns.contains(where: { $0.route == path }) { return path }
    if patterns.isEmpty { return nil }
    let parts = path.split(separator: "/", maxSplits: 16, omittingEmptySubsequences: false)
    return patterns.first { Self.matches(parts, $0.components) }?.route
  }

  /// The methods of a path, in the form of the Allow field; nil for an unknown path.
  func allowed(on path: String) -> String? { route(at: path).flatMap { methods[$0] } }

  private static func matches(_ parts: [Substring], _ pattern: [Substring]) -> Bool {
    let isOpen = pattern.last == "**"
    guard isOpen ? parts.count >= pattern.count : parts.count == pattern.count else { return false }
    return zip(parts, pattern).allSatisfy { part, wanted in
      wanted == "**" ? !part.isEmpty : (wanted.hasPrefix("{") ? !part.isEmpty && !part.contains("{") : part == wanted)
    }
  }
}
