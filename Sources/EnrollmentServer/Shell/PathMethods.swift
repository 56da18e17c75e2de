internal import Hummingbird

/// The methods of each path.
struct PathMethods: Sendable {
  private let methods: [String: String]

  /// Of a router in which all routes are.
  init(_ router: Router<ServerContext>) {
    methods = Dictionary(grouping: router.routes, by: \.path.description).mapValues {
      $0.map(\.method.rawValue).sorted().joined(separator: ", ")
    }
  }

  /// The methods of a path, as the field Allow has them; nil if there is no such path.
  func allowed(on path: String) -> String? { methods[path] }
}
