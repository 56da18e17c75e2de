internal import Crypto
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentServer
internal import LatchkeyEnrollmentStore

/// The caller of the old service: a token, and the device whose certificate the connection has; the certificate may be missing
/// only if the configuration permits the old service's weakness.
struct LegacyCaller: Sendable {
  let device: AuthenticatedDevice?
  let token: BearerToken

  /// The user, if token and certificate are valid now and belong together.
  ///
  /// - Throws: ``Problem``.
  func user(in store: any StoreTransaction, now: Int64) throws -> UserName {
    let session: TokenRecord
    if let device {
      let known = try KnownCertificate(store.certificate(fingerprint: device.fingerprint)).device(at: now)
      session = try token.session(of: known.id, in: store, now: now)
      guard session.user == known.user else { throw Problem(.notAuthenticated) }
    } else {
      // If no certificate is requested, the token is the only credential, whichever device it was issued for.
      guard let record = try store.token(hash: token.hash, now: now) else { throw Problem(.notAuthenticated) }
      session = record
    }
    return session.user
  }

  /// The replay scope of a user, in place of a device: a transfer is accepted once, over whichever of the user's devices it
  /// comes.
  static func replayScope(of user: UserName) -> Identifier? {
    Identifier(bytes: Array(SHA256.hash(data: Array("documented:\(user)".utf8)))[..<16])
  }
}
