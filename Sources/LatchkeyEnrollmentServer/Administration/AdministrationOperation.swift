internal import Hummingbird
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// An operation of the admin listener: its route, its line in the OpenAPI document, and what it does. A path has no variable part, as
/// on the public port: names are parameters, or members of the body.
struct AdministrationOperation: Sendable {
  /// A parameter of the query.
  struct Parameter: Sendable {
    let name: String
    let description: String
    let schema: JSONLiteral
    var isRequired = false
  }

  static let prefix = "/admin/v1/"

  let method: HTTPRequest.Method
  /// The path behind ``prefix``.
  let path: String
  let name: String
  let summary: String
  let role: AdministratorRole
  var parameters: [Parameter] = []
  /// The schema of the body; nil for none.
  var body: String?
  /// The schema of the response; nil: 204.
  var answer: String?
  /// Whether devices and users may change by it, so that they are looked up anew.
  var changesDevices = false
  let run: @Sendable (AdministrationCall) async throws -> Response

  var fullPath: String { Self.prefix + path }
}

/// A request of an administrator.
struct AdministrationCall: Sendable {
  let services: Services
  let administrator: AdministratorRecord
  let request: Request
  /// The values of the query, each of a parameter that the operation has.
  let query: [String: String]

  /// The engine, which acts in the administrator's name.
  var operating: Operator {
    Operator(
      services.store, passwordCost: services.policy.passwordCost, actor: "administrator \(administrator.name)",
      clock: services.configuration.clock)
  }

  func value<Value: Decodable>(_ type: Value.Type = Value.self) async throws -> Value {
    try await request.value(within: services.limits)
  }

  /// How many records a page has.
  func limit() throws -> Int {
    guard let text = query["limit"] else { return PageCursor.standard }
    guard text.utf8.count <= 4, let limit = Int(text) else {
      throw Problem(.malformedRequest, detail: "limit is a number from 1 to \(PageCursor.limits.upperBound)")
    }
    return limit
  }

  var cursor: String? { query["cursor"] }

  /// A parameter that is one of a few words.
  func choice<Choice: RawRepresentable & CaseIterable>(_ name: String) throws -> Choice?
  where Choice.RawValue == String {
    guard let text = query[name] else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.malformedRequest, detail: "\(name) is one of \(all)")
    }
    return choice
  }

  /// A parameter that must be there.
  func required(_ name: String) throws -> String {
    guard let text = query[name] else { throw Problem(.malformedRequest, detail: "give the parameter \(name)") }
    return text
  }
}
