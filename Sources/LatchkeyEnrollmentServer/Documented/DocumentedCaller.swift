internal import Crypto
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Who asks the old service: a token, and the device whose certificate the connection has; without one only where the old hole is
/// open.
struct DocumentedCaller: Sendable {
  let device: AuthenticatedDevice?
  let token: BearerToken

  /// The user, if token and certificate count now, and for one another.
  ///
  /// - Throws: ``Problem``.
  func user(in store: any StoreTransaction, now: Int64) throws -> UserName {
    let session: TokenRecord
    if let device {
      let known = try KnownCertificate(store.certificate(fingerprint: device.fingerprint)).device(at: now)
      session = try token.session(of: known.id, in: store, now: now)
      guard session.user == known.user else { throw Problem(.notAuthenticated) }
    } else {
      // Where no certificate is asked for, a token is all there is, whatever device it was made for.
      guard let record = try store.token(hash: token.hash, now: now) else { throw Problem(.notAuthenticated) }
      session = record
    }
    return session.user
  }

  /// What stands for a user where a device's name is wanted: one transfer comes once, over whichever of the user's devices.
  static func replayScope(of user: UserName) -> Identifier? {
    Identifier(bytes: Array(SHA256.hash(data: Array("documented:\(user)".utf8)))[..<16])
  }
}
