internal import Foundation
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeySystem
internal import Synchronization

/// Answers about single certificates of one authority (OCSP: RFC 6960, in the profile of RFC 5019), from the store.
///
/// Anyone may ask, so by default the authority's key, which may be slow, does not sign the answers: it issues a certificate to a
/// key in this process's memory, for a week, and another after half of that.
package final class StatusResponder: Sendable {
  /// A signed response, and how long it may be stored.
  struct Answer: Sendable {
    let response: OCSPResponse
    let thisUpdate: Int64
    let nextUpdate: Int64
  }

  private let store: any EnrollmentStore
  private let issuer: CertificateIssuer
  private let lifetime: Int64
  private let delegates: Bool
  private let last = Mutex<(responder: OCSPResponder, renewal: Int64, made: Int64)?>(nil)

  private static let delegation: Int64 = 7 * 86_400
  /// Answers of the same minute are equal, so that caches recognize them.
  private static let grain: Int64 = 60

  init(_ store: any EnrollmentStore, issuer: CertificateIssuer, lifetime: Int64, delegates: Bool) {
    self.store = store
    self.issuer = issuer
    self.lifetime = max(2 * Self.grain, lifetime)
    self.delegates = delegates
  }

  /// Whether this authority issued one of the request's certificates.
  func knows(_ request: OCSPRequest) -> Bool { issuer.knows(request) }

  /// Answers a request.
  ///
  /// - Throws: ``Problem``: `.unavailable` if the authority's key does not sign; errors of the store.
  func answer(_ request: OCSPRequest, now: Int64) async throws -> Answer {
    let identifier = issuer.identifier
    let records = try await store.read { store in
      try request.certificates.map { wanted -> CertificateRecord? in
        guard let record = try store.certificate(serial: wanted.serial), record.mayBe(issuedBy: identifier) else {
          return nil
        }
        return record
      }
    }
    // A revocation of this minute is not after the time for which the answer holds.
    let revoked = records.compactMap { $0?.revoked }.filter { $0 <= now }.max() ?? 0
    let thisUpdate = request.nonce == nil ? max(now - now % Self.grain, revoked) : now
    let nextUpdate = thisUpdate + lifetime
    let statuses = records.map { record -> OCSPStatus in
      guard let record else { return .unknown }
      guard let revoked = record.revoked else { return .good }
      return .revoked(Date(timeIntervalSince1970: TimeInterval(revoked)), reason: record.reason)
    }
    let responder = try await responder(now: now)
    do {
      let response = try await issuer.signing { _ throws(AuthorityError) in
        try responder.response(
          to: request, statuses, producedAt: Date(timeIntervalSince1970: TimeInterval(thisUpdate)),
          thisUpdate: Date(timeIntervalSince1970: TimeInterval(thisUpdate)),
          nextUpdate: Date(timeIntervalSince1970: TimeInterval(nextUpdate)))
      }
      return Answer(response: response, thisUpdate: thisUpdate, nextUpdate: nextUpdate)
    } catch AuthorityError.keyUnavailable {
      throw Self.unavailable
    }
  }

  private func responder(now: Int64) async throws -> OCSPResponder {
    if let last = last.withLock({ $0 }), last.made <= now, now < last.renewal { return last.responder }
    let serial = SerialNumber.bytes(of: RandomBytes.fresh(16))
    do {
      let (delegates, delegation) = (delegates, Self.delegation)
      let responder = try await issuer.signing { authority throws(AuthorityError) in
        guard delegates else { return OCSPResponder(authority) }
        return try OCSPResponder(
          delegatedBy: authority, key: FileAuthorityKey(), serial: serial,
          notBefore: Date(timeIntervalSince1970: TimeInterval(now - 3600)),
          notAfter: min(authority.notAfter, Date(timeIntervalSince1970: TimeInterval(now + delegation))))
      }
      let end = Int64(responder.notAfter.timeIntervalSince1970)
      last.withLock { $0 = (responder, min(now + (end - now) / 2, now + delegation / 2), now) }
      return responder
    } catch AuthorityError.keyUnavailable {
      throw Self.unavailable
    }
  }

  private static let unavailable = Problem(.unavailable, detail: "no answer can be signed now; try again later")
}

extension SerialNumber {
  /// The number of a new certificate, of 16 random bytes: 126 random bits, positive, and 16 bytes long (RFC 5280 4.1.2.2).
  static func bytes(of random: [UInt8]) -> [UInt8] { [(random[0] & 0x3F) | 0x40] + random.dropFirst() }
}
