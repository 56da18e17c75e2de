internal import Crypto
internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// An order that its account has named: the record, and what only the name opens.
struct ACMEOrder: Sendable {
  /// What became of it (RFC 8555 7.1.6).
  enum State: Sendable {
    case pending, ready, processing
    case valid(EnrolledDevice)
    case invalid(ACMEProblem)
  }

  /// The last component of its URLs: 32 random bytes in base64url.
  let name: String
  let record: ACMEOrderRecord
  /// The enrollment token that the client stated as its identifier. A secret.
  let identifier: String

  /// Creates an order of an account.
  ///
  /// - Parameter random: 64 fresh random bytes.
  init(
    identifier: String, account: ACMEAccountKey, profile: String?, random: [UInt8], expires: Int64
  ) throws {
    let key = Array(random.prefix(32))
    name = Base64URL.encode(key)
    self.identifier = identifier
    record = ACMEOrderRecord(
      id: Self.id(key), account: account.point, token: BearerToken(identifier).hash,
      identifier: try Self.seal(identifier, key), profile: profile, challenge: Array(random.dropFirst(32)),
      expires: expires)
  }

  /// The order of a name; nil if the record is none that the name opens.
  init?(name: String, _ record: ACMEOrderRecord) {
    guard let key = Self.key(name), let box = try? AES.GCM.SealedBox(combined: record.identifier),
      let text = try? AES.GCM.open(box, using: Self.sealing(key))
    else { return nil }
    (self.name, self.record, identifier) = (name, record, String(decoding: text, as: UTF8.self))
  }

  /// The record's identifier for a name; nil if the name has not its form.
  static func id(ofName name: String) -> [UInt8]? { key(name).map(id) }

  private static func key(_ name: String) -> [UInt8]? {
    guard name.utf8.count == 43, let key = Base64URL.decode(name) else { return nil }
    return key
  }

  private static func id(_ key: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: key)) }

  private static func seal(_ text: String, _ key: [UInt8]) throws -> [UInt8] {
    guard let box = try AES.GCM.seal(Array(text.utf8), using: sealing(key)).combined else {
      throw Problem(.internalError)
    }
    return Array(box)
  }

  private static func sealing(_ key: [UInt8]) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: key), info: Array("latchkey-acme-identifier-v1".utf8), outputByteCount: 32)
  }

  /// The challenge's token (RFC 8555 8).
  var challengeToken: String { Base64URL.encode(record.challenge) }

  // MARK: The registration that it becomes

  /// The registration of the order's token.
  func ceremony(_ services: Services) -> RegistrationCeremony {
    Self.ceremony(services, token: record.token, profile: record.profile, attested: attested)
  }

  /// - Parameter attested: the key, once its attestation is verified.
  static func ceremony(
    _ services: Services, token hash: [UInt8], profile: String?, attested: AttestedKey? = nil
  ) -> RegistrationCeremony {
    RegistrationCeremony(
      services: services, token: BearerToken(enrollmentTokenHash: hash),
      wanted: RegistrationGrant.Wanted(profile: profile), attested: attested)
  }

  private var attested: AttestedKey? {
    guard case .attested(let key, let evidence, let identifiers)? = record.outcome else { return nil }
    return AttestedKey(point: key, evidence: evidence, identifiers: identifiers)
  }

  /// What makes two orders the same registration: an account that lost an answer orders again with its token.
  static func registrationKey(account: [UInt8], token hash: [UInt8]) throws(Problem) -> IdempotencyKey {
    let digest = SHA256.hash(data: account + hash)
    guard let key = IdempotencyKey(field: "acme-\(Hexadecimal.encode(digest))") else { throw Problem(.internalError) }
    return key
  }
}
