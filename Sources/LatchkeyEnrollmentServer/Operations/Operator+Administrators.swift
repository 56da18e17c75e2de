internal import Crypto
internal import Foundation
internal import LatchkeyEnrollmentProtocol
public import LatchkeyEnrollmentStore
internal import LatchkeySystem

// Who may use the admin listener.

extension Operator {
  /// Adds an administrator with a token.
  ///
  /// - Returns: the token, which is not stored: a secret.
  /// - Throws: ``OperatorError``: `.exists`, `.invalid` for the name.
  public func addAdministrator(_ name: String, role: AdministratorRole) async throws -> String {
    let token = AdministratorToken.make()
    try await add(
      AdministratorRecord(
        name: name, role: role, created: now, tokenHash: AdministratorToken.hash(of: token)))
    return token
  }

  /// Adds an administrator with a client certificate.
  ///
  /// - Parameter certificate: DER.
  /// - Throws: ``OperatorError``: `.exists`, also for another administrator's certificate; `.invalid` for the name.
  public func addAdministrator(_ name: String, role: AdministratorRole, certificate: [UInt8]) async throws {
    try await add(
      AdministratorRecord(
        name: name, role: role, created: now, fingerprint: Fingerprint(SHA256.hash(data: certificate))))
  }

  private func add(_ administrator: AdministratorRecord) async throws {
    let name = administrator.name.precomposedStringWithCanonicalMapping
    guard ShownName.isValid(administrator.name), name.utf8.elementsEqual(administrator.name.utf8) else {
      throw OperatorError.invalid(
        "an administrator's name has 1 to \(ShownName.longest) characters that show, in their composed form (NFC)")
    }
    try await store.write { store in
      guard try store.addAdministrator(administrator) else {
        throw OperatorError.exists("there is an administrator of that name, or with that certificate, already")
      }
      try store.audit(
        entry("administrator.added", ["administrator": name, "role": administrator.role.rawValue]))
    }
  }

  /// All administrators, by name.
  public func administrators() async throws -> [AdministratorRecord] {
    try await store.read { try $0.administrators() }
  }

  /// Removes an administrator, whose token or certificate is refused from then on.
  ///
  /// - Throws: ``OperatorError``: `.notFound`.
  public func removeAdministrator(_ name: String) async throws {
    try await store.write { store in
      guard try store.removeAdministrator(name) else {
        throw OperatorError.notFound("there is no administrator of that name: latchkey-server admin list shows them")
      }
      try store.audit(entry("administrator.removed", ["administrator": name]))
    }
  }
}

/// The token of an administrator: 32 random bytes in base64url, behind a mark by which scanners for leaked secrets find it.
enum AdministratorToken {
  private static let mark = "lkadm_"

  static func make() -> String { mark + BearerToken.text(of: RandomBytes.fresh(32)) }

  static func hash(of token: String) -> [UInt8] { Array(SHA256.hash(data: Array(token.utf8))) }
}
