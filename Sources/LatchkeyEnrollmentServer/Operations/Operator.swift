public import Foundation
import LatchkeyByteCoding
public import LatchkeyCertificateAuthority
public import LatchkeyEnrollmentStore
internal import LatchkeySystem

/// The operator's actions on a store, offline or while a server runs: users, devices. Each is recorded in the audit
/// chain.
public struct Operator: Sendable {
  package let store: any EnrollmentStore
  private let clock: @Sendable () -> Date
  private let passwordCost: Int
  /// Who acts, as the audit log has it.
  private let actor: String

  /// Creates an operator of `store`.
  ///
  /// - Parameters:
  ///   - passwordCost: the cost of new hashes, as ``ServerPolicy/passwordCost``.
  ///   - actor: who acts, in the audit log.
  public init(
    _ store: any EnrollmentStore, passwordCost: Int = ServerPolicy().passwordCost, actor: String = "operator",
    clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.store = store
    self.actor = actor
    self.passwordCost = passwordCost
    self.clock = clock
  }

  package var now: Int64 { Int64(clock().timeIntervalSince1970.rounded(.down)) }

  /// An entry of the audit log about what is done now.
  package func entry(_ event: String, _ fields: [String: String]) -> AuditEntry {
    AuditEntry(event: event, time: now, fields: fields.merging(["by": actor]) { own, _ in own })
  }

  /// A password of a length that is allowed.
  static func checked(password: String) throws -> SecretBytes {
    let secret = SecretBytes(password: password)
    guard (8...Passwords.longest).contains(secret.count) else {
      throw OperatorError.invalid("a password has 8 to \(Passwords.longest) bytes")
    }
    return secret
  }

  func hash(_ password: String) throws -> String {
    let secret = try Self.checked(password: password)
    return try PasswordHash(
      of: secret, salt: RandomBytes.fresh(16), cost: PasswordHash.Cost(clamping: passwordCost)
    ).text
  }

  // MARK: Lists

  /// Issues the revocation list that a server on this store would serve, DER.
  ///
  /// - Throws: ``EnrollmentStoreError``; `AuthorityError` if the authority's key does not sign.
  public func revocationList(by authority: CertificateAuthority) async throws -> [UInt8] {
    let policy = ServerPolicy()
    let issuer = CertificateIssuer(authority, lifetime: policy.certificateLifetime)
    return try await RevocationLists(store, issuer: issuer, lifetime: policy.revocationListLifetime).list(now: now)
  }
}

/// The failure of an operator's action; each case states the remedy.
public enum OperatorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The object exists already.
  case exists(String)
  /// The object does not exist.
  case notFound(String)
  /// The value is invalid.
  case invalid(String)

  package static func noUser(_ name: String) -> OperatorError {
    .notFound("there is no user of that name: add one with latchkey-server user add \(name)")
  }

  /// The remedy.
  public var description: String {
    switch self {
    case .exists(let text), .notFound(let text), .invalid(let text): text
    }
  }
}
