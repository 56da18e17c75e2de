public import LatchkeyEnrollmentProtocol
public import LatchkeyEnrollmentStore
internal import LatchkeySystem

/// One route of a ``DeviceService``.
public struct ServiceRoute: Sendable {
  /// What is decided inside the transaction. It may run more than once, and so draws no random values and reads no clock. It runs for
  /// a repeated request, too; what it does is undone then, and the earlier answer repeated.
  public typealias Decision = @Sendable (SignedTransaction) throws -> ServiceDecision

  enum Kind: Sendable {
    case signed(@Sendable (ServiceRequest) throws -> Decision)
    case authenticated(@Sendable (ServiceRequest, ServiceTransaction) throws -> ServiceAnswer)
  }

  /// What the OpenAPI document says of the route.
  public let operation: ServiceOperation
  let kind: Kind

  /// A route for requests that the device signs (RFC 9421), and that are decided once, however often they are sent: the answer is
  /// kept under the Idempotency-Key, in the transaction that does what it says.
  ///
  /// - Parameter prepare: reads the request before the transaction, and draws what is random (``ServiceRequest/random(_:)``,
  ///   `Identifier.random()`); gives what is decided inside. A ``Problem`` that either throws is the answer, and nothing is kept.
  public static func signed(
    _ operation: ServiceOperation, prepare: @escaping @Sendable (ServiceRequest) throws -> Decision
  ) -> ServiceRoute {
    ServiceRoute(operation: operation, kind: .signed(prepare))
  }

  /// A route that reads, for any device with a valid certificate. A session's token is not needed; one that is sent must count.
  ///
  /// - Parameter body: answers from one consistent state of the store.
  public static func authenticated(
    _ operation: ServiceOperation,
    body: @escaping @Sendable (ServiceRequest, ServiceTransaction) throws -> ServiceAnswer
  ) -> ServiceRoute {
    ServiceRoute(operation: operation, kind: .authenticated(body))
  }

  var isSigned: Bool { if case .signed = kind { true } else { false } }
}

/// A request on a service's route. Who asks is verified: by the certificate, and on a signed route by the signature, too.
public struct ServiceRequest: Sendable {
  /// The device that asks.
  public let device: Identifier
  /// Its user.
  public let user: UserName
  /// The parameters of the query by name, of those that the route's ``ServiceOperation/parameters`` list: other ones are refused, as are such
  /// that come twice. Empty on a signed route.
  public let query: [String: String]
  /// The body, at most ``ServerLimits/bodySize`` bytes.
  public let body: [UInt8]
  /// The server's clock, in seconds since 1970.
  public let now: Int64
  /// The most that a client's clock may differ, in seconds.
  public let clockSkew: Int64
  let contentType: String?
  let limits: ServerLimits

  /// The body as JSON, read strictly: UTF-8, no member twice; members that are not known are passed over.
  ///
  /// - Throws: ``Problem``: `.unsupportedMediaType`, `.tooLarge`, `.malformedRequest` with the place of the defect.
  public func json<Value: Decodable>(as type: Value.Type = Value.self) throws(Problem) -> Value {
    try JSONBytes.decode(body, contentType: contentType, limits: limits)
  }

  /// So many fresh random bytes.
  public func random(_ count: Int) -> [UInt8] { RandomBytes.fresh(count) }
}

/// What a service answers: JSON.
public struct ServiceAnswer: Sendable, Hashable {
  /// The HTTP status.
  public let status: Int
  /// The JSON.
  public let body: [UInt8]

  /// A value as JSON, its members in alphabetical order.
  ///
  /// - Throws: ``DeviceServiceError/badStatus(_:)``; what the value throws when it is encoded.
  public init(status: Int = 200, json value: some Encodable) throws {
    guard (200...599).contains(status), ![204, 205, 304].contains(status) else {
      throw DeviceServiceError.badStatus(status)
    }
    self.status = status
    body = try JSONBytes.encode(value)
  }

  /// A refusal that is an answer like any other: it is kept.
  public init(refusing problem: Problem) throws { try self.init(status: problem.status, json: problem) }
}

extension ServiceAnswer {
  /// - Throws: ``DeviceServiceError/largeAnswer(route:size:limit:)``.
  func check(_ route: String, _ limit: Int) throws(DeviceServiceError) {
    guard body.count <= limit else { throw .largeAnswer(route: route, size: body.count, limit: limit) }
  }
}

/// How a signed request was decided.
public enum ServiceDecision: Sendable {
  /// Decided: the answer is kept, and given again to the same request.
  case kept(ServiceAnswer)
  /// Not decided, since it may be otherwise later: what the service wrote is undone, entries for the audit chain among it. The nonce
  /// and an approval are used up, and a challenge is issued.
  case refused(Problem)

  /// Decided, with this value.
  public static func kept(_ status: Int, json value: some Encodable) throws -> ServiceDecision {
    .kept(try ServiceAnswer(status: status, json: value))
  }

  /// Decided: it cannot be done.
  public static func kept(refusing problem: Problem) throws -> ServiceDecision {
    .kept(try ServiceAnswer(refusing: problem))
  }
}
