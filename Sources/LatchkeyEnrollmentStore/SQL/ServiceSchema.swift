internal import LatchkeyEnrollmentProtocol

/// The tables of a service, as numbered steps from nothing: a store at version `n` of the service has taken the first `n`. A step
/// that was ever released never changes; what comes later is a step of its own.
///
/// Tables and indexes are named `SERVICE_…`. They may refer to `users (name)` and `devices (id)`, both of which stay for good.
public struct ServiceSchema: Sendable {
  /// One step: definitions, in order, in the words of a database.
  public typealias Step = @Sendable (SQLDialect) -> [String]

  /// The service's name.
  public let name: String
  /// The steps.
  public let steps: [Step]

  /// The tables of a service.
  ///
  /// - Parameter name: 1 to 16 characters `a-z 0-9`, the first a letter; none that the core uses for its own tables.
  /// - Throws: `.misuse` for another name.
  public init(name: String, steps: [Step]) throws(EnrollmentStoreError) {
    guard !Self.reserved.contains(name) else {
      throw .misuse("the core uses the name \(name): choose another for the service")
    }
    guard ChallengePurpose.isServiceName(name) else {
      throw .misuse(
        "a service's name has 1 to 16 characters a-z and 0-9, the first a letter, and not \(name.debugDescription)")
    }
    self.name = name
    self.steps = steps
  }

  /// What begins names of the core's own tables and audit events, or may.
  static let reserved: Set<String> = [
    "admin", "approval", "attestation", "audit", "authority", "certificate", "challenge", "device", "enrollment",
    "issuer", "login",
    "node", "profile", "revocation", "role", "schema", "server", "service", "session", "sqlite", "token", "user",
  ]
}
