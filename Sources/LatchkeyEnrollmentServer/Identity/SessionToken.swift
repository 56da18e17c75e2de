internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
package import LatchkeyEnrollmentStore
internal import LatchkeySealedMessages

/// A new session: the token for its user, and the record for the store.
struct SessionToken: Sendable {
  /// 32 random bytes, base64url. A secret.
  let text: String
  let record: TokenRecord

  /// Creates a session of a user.
  ///
  /// - Parameters:
  ///   - device: the device over whose certificate only the token is valid; nil after a login by password alone.
  ///   - random: 32 fresh random bytes.
  init(user: UserName, device: Identifier?, random: [UInt8], now: Int64, policy: ServerPolicy) {
    text = BearerToken.text(of: random)
    record = TokenRecord(
      hash: BearerToken(text).hash, user: user, device: device, expires: now + policy.tokenLifetime)
  }

  func answer(now: Int64) -> LoginAnswer {
    LoginAnswer(
      token: text, expiresIn: Int(record.expires - now), user: record.user.text, device: record.device?.description)
  }
}

/// A bearer token in a request (RFC 6750), of which only the hash is held.
package struct BearerToken: Sendable {
  /// SHA-256 of the token.
  package let hash: [UInt8]
  /// Whether it has the form of a one-time enrollment token, and not of a session's.
  let isForEnrollment: Bool

  package init(_ text: String) {
    hash = Array(SHA256.hash(data: Array(text.utf8)))
    isForEnrollment = text.hasPrefix(EnrollmentToken.prefix)
  }

  /// An enrollment token that was received before, of which the hash was kept.
  init(enrollmentTokenHash: [UInt8]) {
    hash = enrollmentTokenHash
    isForEnrollment = true
  }

  /// Reads the token from a request's Authorization field.
  ///
  /// - Throws: `.notAuthenticated` if there is none.
  init(_ request: Request) throws(Problem) {
    let parts = request.headers[.authorization]?.split(separator: " ", omittingEmptySubsequences: true) ?? []
    guard parts.count == 2, parts[0].lowercased() == "bearer", (16...512).contains(parts[1].utf8.count) else {
      throw Problem(.notAuthenticated, detail: "log in, and send the token as Authorization: Bearer")
    }
    self.init(String(parts[1]))
  }

  /// The token's session, if it is valid for a request of this device, or of none.
  ///
  /// - Throws: `.notAuthenticated` for an unknown or expired one, or another device's.
  package func session(of device: Identifier?, in transaction: any StoreTransaction, now: Int64) throws -> TokenRecord {
    guard let record = try transaction.token(hash: hash, now: now),
      record.device == nil || record.device == device
    else { throw Problem(.notAuthenticated, detail: "the session has ended, or is another device's; log in again") }
    return record
  }

  static func text(of bytes: [UInt8]) -> String { Base64URL.encode(bytes) }
}
