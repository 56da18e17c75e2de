internal import Foundation
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import Synchronization

/// The revocation list, cached: it is issued again within a second after a revocation, or when half of its validity has passed.
///
/// Its number consists of the revocation epoch and the time of issue, so that a later list has a greater number, whichever
/// server issued it (RFC 5280 5.2.3). If the store's epoch goes back, the store was replaced by an old copy, and the list with
/// more revocations stays.
package final class RevocationLists: Sendable {
  private struct List {
    let der: [UInt8]
    let epoch: Int64
    let number: Int64
    let made: Int64
    /// The second in which the store was last asked for new revocations.
    var asked: Int64
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

  /// The current list, DER; a revocation from the current second may only be in the next one.
  func list(now: Int64) async throws -> [UInt8] {
    guard let cached = last.withLock({ $0 }), cached.made <= now, now < cached.made + lifetime / 2 else {
      return try await make(now: now)
    }
    // Any client may request it, as often as the rate limits permit; the store is read once a second.
    if cached.asked == now { return cached.der }
    guard try await store.read({ try $0.revocationEpoch() }) <= cached.epoch else { return try await make(now: now) }
    last.withLock { if $0?.number == cached.number { $0?.asked = now } }
    return cached.der
  }

  /// Seconds since the list was issued; nil before the first.
  func age(now: Int64) -> Int64? { last.withLock { $0.map { max(0, now - $0.made) } } }

  private func make(now: Int64) async throws -> [UInt8] {
    let (epoch, revoked) = try await store.read { (try $0.revocationEpoch(), try $0.revokedCertificates(now: now)) }
    let previous = last.withLock { $0 }
    if let previous, epoch < previous.epoch { return previous.der }
    let number = max(Self.number(epoch: epoch, made: now), (previous?.number ?? -1) + 1)
    let identifier = issuer.identifier
    let lines = revoked.filter { $0.mayBe(issuedBy: identifier) }.map {
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
      // A concurrent request may have issued a later one.
      if let other = $0, other.number >= number { return other.der }
      $0 = List(der: der, epoch: epoch, number: number, made: now, asked: now)
      return der
    }
  }

  /// 31 bits of epoch before 32 of time.
  static func number(epoch: Int64, made: Int64) -> Int64 {
    min(max(0, epoch), Int64(Int32.max)) << 32 | min(max(0, made), Int64(UInt32.max))
  }
}
