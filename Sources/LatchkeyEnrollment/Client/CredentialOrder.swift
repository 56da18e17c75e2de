internal import Foundation
internal import Security

/// Which of a device's credentials is the newest: a renewal or a change of the key leaves two for a moment, or for longer if it was
/// interrupted.
///
/// Not the one that ends last: the profile of a new certificate may be shorter than that of the old one.
struct CredentialOrder {
  /// The key that a change under way is to, X9.63; nil without such a change. The server ends each certificate of another key with it.
  private let changedKey: [UInt8]?

  init(_ record: EnrollmentRecord, _ configuration: EnrollmentConfiguration) throws(EnrollmentError) {
    changedKey =
      record.isChangingKey == true
      ? try DeviceKey.find(label: configuration.nextIdentityKeyLabel)?.publicKeyX963() : nil
  }

  /// The newest of these; of equal ones the first, since the default precedes the others. Nil if there are none.
  func newest(of credentials: [Credential]) throws(EnrollmentError) -> Credential? {
    guard var newest = credentials.first else { return nil }
    for credential in credentials.dropFirst() where try isNewer(credential, than: newest) { newest = credential }
    return newest
  }

  /// Whether the server has ended `old`, or issued it before `new`.
  func isReplaced(_ old: Credential, by new: Credential) throws(EnrollmentError) -> Bool {
    if try isNewer(new, than: old) { return true }
    guard try !isNewer(old, than: new) else { return false }
    return try Self.key(of: old) != Self.key(of: new)
  }

  private func isNewer(_ a: Credential, than b: Credential) throws(EnrollmentError) -> Bool {
    if let changedKey {
      let (aIsChanged, bIsChanged) = (try Self.key(of: a) == changedKey, try Self.key(of: b) == changedKey)
      if aIsChanged != bIsChanged { return aIsChanged }
    }
    return Self.start(of: a) > Self.start(of: b)
  }

  private static func start(of credential: Credential) -> Date {
    credential.identity.flatMap { SecCertificateCopyNotValidBeforeDate($0.certificate) as Date? } ?? .distantPast
  }

  private static func key(of credential: Credential) throws(EnrollmentError) -> [UInt8]? {
    try credential.identity?.key.publicKeyX963()
  }
}
