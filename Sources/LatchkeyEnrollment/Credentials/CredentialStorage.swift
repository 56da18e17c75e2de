internal import Synchronization

/// Stores credentials, each for exactly one protection space (`NSURLCredentialStorage` in `Examples/002-sealed-transfer`).
///
/// Permanent ones are keychain items: internet passwords with the space's server, port, protocol and realm, so that other
/// programs of the same keychain find passwords as usual. An identity's item names its certificate; certificate and private key
/// are separate items, added if they are missing. Calls block on the keychain.
public final class CredentialStorage: Sendable {
  /// The storage of this process.
  public static let shared = CredentialStorage()

  private struct Entry {
    var credentials: [Credential] = []
    var `default`: Credential?
  }

  private let session = Mutex<[ProtectionSpace: Entry]>([:])

  /// Creates a storage with its own session credentials; permanent ones are shared through the keychain.
  public init() {}

  /// Makes a credential the default of a space; it is added if the space does not have it.
  ///
  /// A credential of persistence `none` is not stored, and changes nothing.
  ///
  /// - Throws: ``EnrollmentError``: `.misuse` for a password where the space asks for a certificate and the reverse;
  ///   `.keychain`.
  public func setDefaultCredential(_ credential: Credential, for space: ProtectionSpace) throws(EnrollmentError) {
    try keep(credential, for: space, asDefault: true)
  }

  /// Adds a credential to a space; the first is its default.
  ///
  /// - Throws: as ``setDefaultCredential(_:for:)``.
  public func set(_ credential: Credential, for space: ProtectionSpace) throws(EnrollmentError) {
    let isFirst = credential.persistence == .none ? false : try credentials(for: space).isEmpty
    try keep(credential, for: space, asDefault: isFirst)
  }

  /// The default credential of a space; session credentials precede permanent ones. Nil if there is none.
  public func defaultCredential(for space: ProtectionSpace) throws(EnrollmentError) -> Credential? {
    if let own = session.withLock({ $0[space]?.default }) { return own }
    return try CredentialItems(space).all().first { $0.isDefault }?.credential
  }

  /// All credentials of a space, session credentials first.
  public func credentials(for space: ProtectionSpace) throws(EnrollmentError) -> [Credential] {
    let own = session.withLock { $0[space]?.credentials ?? [] }
    return own + (try CredentialItems(space).all().map(\.credential))
  }

  /// Removes a credential from a space. Certificate and private key stay in the keychain.
  public func remove(_ credential: Credential, for space: ProtectionSpace) throws(EnrollmentError) {
    session.withLock { session in
      session[space]?.credentials.removeAll { $0.name == credential.name }
      if session[space]?.default?.name == credential.name { session[space]?.default = nil }
    }
    if credential.persistence == .permanent { try CredentialItems(space).remove(credential.name) }
  }

  private func keep(
    _ credential: Credential, for space: ProtectionSpace, asDefault isDefault: Bool
  ) throws(EnrollmentError) {
    guard (credential.identity != nil) == (space.authenticationMethod == .clientCertificate) else {
      throw .misuse("an identity is for a space that asks for a client certificate, a password for all others")
    }
    switch credential.persistence {
    case .none: return
    case .permanent:
      try CredentialItems(space).put(credential, asDefault: isDefault)
      if isDefault { session.withLock { $0[space]?.default = nil } }
    case .session:
      session.withLock { session in
        var entry = session[space] ?? Entry()
        entry.credentials.removeAll { $0.name == credential.name }
        entry.credentials.append(credential)
        if isDefault { entry.default = credential }
        session[space] = entry
      }
    }
  }
}
