internal import CertificateAuthority
internal import EnrollmentProtocol
internal import EnrollmentStore
internal import Foundation
internal import Synchronization

/// The revocation list: made when something was revoked, or when half of its life is over, and kept until then.
///
/// Its number is the revocation epoch and the time that it was made, so that a later list has a greater one, whichever server made it
/// (RFC 5280 5.2.3). Where the store's epoch goes back, an old copy was put in its place: the list that knows more stays.
package final class RevocationLists: Sendable {
  private struct List {
    let der: [UInt8]
    let epoch: Int64
    let number: Int64
    let made: Int64
  }

  private let store: any EnrollmentStore
  private let issuer: CertificateIssuer
  private let lifetime: Int64
  private let last = Mutex<List?>(nil)

  init(_ store: any EnrollmentStore, issuer: CertificateIssuer, lifetime: Int64) {
    self.store = store
    self.issuer = issuer
    self.lifetime = max(2, lifetime)
  }

  /// The list as it is now, DER.
  func list(now: Int64) async throws -> [UInt8] {
    let epoch = try await store.read { try $0.revocationEpoch() }
    if let last = last.withLock({ $0 }), last.epoch >= epoch, last.made <= now, now < last.made + lifetime / 2 {
      return last.der
    }
    return try await make(now: now)
  }

  private func make(now: Int64) async throws -> [UInt8] {
    let (epoch, revoked) = try await store.read { (try $0.revocationEpoch(), try $0.revokedCertificates(now: now)) }
    let previous = last.withLock { $0 }
    if let previous, epoch < previous.epoch { return previous.der }
    let number = max(Self.number(epoch: epoch, made: now), (previous?.number ?? -1) + 1)
    let lines = revoked.map {
      RevokedCertificate(
        serial: $0.serial, date: Date(timeIntervalSince1970: TimeInterval($0.revoked ?? now)), reason: $0.reason)
    }
    let der: [UInt8]
    do {
      der = try await issuer.signing { [lifetime] authority throws(AuthorityError) in
        try authority.revocationList(
          of: lines, number: number, thisUpdate: Date(timeIntervalSince1970: TimeInterval(now)),
          nextUpdate: Date(timeIntervalSince1970: TimeInterval(now + lifetime)))
      }
    } catch AuthorityError.keyUnavailable {
      throw Problem(.unavailable, detail: "no list can be signed now; try again later")
    }
    return last.withLock {
      // Another request may have made a later one meanwhile.
      if let other = $0, other.number >= number { return other.der }
      $0 = List(der: der, epoch: epoch, number: number, made: now)
      return der
    }
  }

  /// 31 bits of epoch before 32 of time.
  static func number(epoch: Int64, made: Int64) -> Int64 {
    min(max(0, epoch), Int64(Int32.max)) << 32 | min(max(0, made), Int64(UInt32.max))
  }
}
