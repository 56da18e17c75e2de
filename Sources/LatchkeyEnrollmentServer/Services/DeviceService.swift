public import LatchkeyEnrollmentStore

/// A service of its own on the enrollment server: routes for enrolled devices, and tables for what they say.
///
/// The server verifies who asks, and keeps what it answered. A service says what a request means:
///
///     struct Readings: DeviceService {
///       let schema: ServiceSchema
///       let routes: [ServiceRoute]
///     }
///
/// Give it to the server in ``ServerConfiguration/services``. <doc:WritingAService> shows one whole.
public protocol DeviceService: Sendable {
  /// The name of the service, and its tables. The server makes them, and brings them forward, before it listens.
  var schema: ServiceSchema { get }
  /// The routes.
  var routes: [ServiceRoute] { get }
  /// What stands in the OpenAPI document beside the routes.
  var documentation: ServiceDocumentation { get }
  /// Deletes what has ended, each minute: at most `limit` rows of each kind.
  ///
  /// - Returns: how many rows; the server calls again at once after `limit` or more.
  func forgetEnded(in transaction: ServiceTransaction, limit: Int) throws -> Int
}

extension DeviceService {
  /// The name, which begins those of its tables (`NAME_…`) and audit events (`NAME.…`).
  public var name: String { schema.name }
  /// Makes the tables of the service, or brings them forward; nothing is written where all are there. A server does it when it starts.
  ///
  /// - Throws: `EnrollmentStoreError`: `.misuse` if a later program made them, or a definition is refused.
  public func makeTables(in store: any EnrollmentStore) async throws {
    let schema = schema
    try await store.write { try $0.bringForward(schema) }
  }

  /// Nothing but the routes.
  public var documentation: ServiceDocumentation { ServiceDocumentation() }
  /// Deletes nothing.
  public func forgetEnded(in transaction: ServiceTransaction, limit: Int) throws -> Int { 0 }
}

/// A service that has routes for clients of another protocol, too, which prove in other ways who asks.
package protocol RoutedService: DeviceService {
  /// The further routes.
  func routeGroups(_ services: Services) -> [any RouteGroup]
  /// Their part of the OpenAPI document.
  var operations: [OpenAPIOperation] { get }
}

/// Why a server does not take a service, or what it answers.
public enum DeviceServiceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Two services have one name.
  case sameName(String)
  /// Two routes, or one and the core's, have this method and path.
  case sameRoute(String)
  /// The path is not one that a route may have.
  case badPath(String)
  /// The route's method is not one that a route may have.
  case badMethod(String)
  /// The route's parameters have a name that none may have, or one twice, or the route is signed.
  case badParameters(String)
  /// The answer's status is not one that an answer with a body may have.
  case badStatus(Int)
  /// The answer is larger than ``ServerLimits/answerSize``, in bytes.
  case largeAnswer(route: String, size: Int, limit: Int)
  /// A closure has canceled the task that it ran in.
  case canceled(route: String)
  /// The server has stopped, and these closures have not returned (``ServerLimits/transactionTime``).
  case notReturned([String])

  /// The reason, and what to do.
  public var description: String {
    switch self {
    case .sameName(let name): "two services have the name \(name): give each its own"
    case .sameRoute(let route): "\(route) is served twice: choose another path"
    case .badPath(let path):
      "\(path) cannot be the path of a route: begin with /, use letters, digits, - and / alone, and neither // nor / at the end"
    case .badMethod(let route): "\(route) has a method that routes cannot have: use GET, POST, PUT or DELETE"
    case .badParameters(let route):
      "\(route) has parameters that it cannot have: give each a name of its own of letters, digits, - and _, and a signed route none, "
        + "whose content stands in its body"
    case .badStatus(let status):
      "\(status) cannot be the status of an answer: use 200 to 599, without 204, 205 and 304, which have no body"
    case .largeAnswer(let route, let size, let limit):
      "\(route) answers \(size) bytes, and an answer has at most \(limit): give a page at a time, or raise the limit"
    case .canceled(let route): "\(route) has canceled the task of its request: throw a Problem to refuse one"
    case .notReturned(let closures):
      "the server has stopped without \(closures.joined(separator: ", ")), which did not return: end the process, and mend it"
    }
  }
}
