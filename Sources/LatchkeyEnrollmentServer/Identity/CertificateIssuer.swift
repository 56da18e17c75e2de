internal import Crypto
internal import Foundation
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeySystem

/// An issued certificate that is not stored yet; it is not valid anywhere until then.
struct IssuedCertificate: Sendable {
  let der: [UInt8]
  /// The certificates of its issuer and those above, nearest first.
  let chain: [[UInt8]]
  let record: CertificateRecord
}

/// Signs devices' certificates with the authority's key on separate threads, because the key may be in a slow enclave.
package struct CertificateIssuer: Sendable {
  private let authority: CertificateAuthority
  private let lifetime: Int64
  private let threads = BlockingThreads(label: "certificate-issuer", width: 2)

  init(_ authority: CertificateAuthority, lifetime: Int64) {
    self.authority = authority
    self.lifetime = lifetime
  }

  /// The tolerance for slow device clocks, in seconds.
  private static let backdating: Int64 = 300

  /// Issues a certificate for a device's identity key.
  ///
  /// - Parameter requested: names beside those of the profile.
  /// - Throws: ``Problem``: `.unavailable` if the authority's key does not sign; `.invalidName` or `.notPermitted` if the device
  ///   cannot or may not have the names of the profile.
  func issue(
    to device: DeviceRecord, profile: DeviceProfile, requested: [AlternativeName], random: [UInt8], now: Int64
  ) async throws -> IssuedCertificate {
    let lifetime = profile.certificateLifetime ?? lifetime
    let names = try profile.names(of: device, requested)
    let notAfter = min(now + lifetime, Int64(authority.notAfter.timeIntervalSince1970))
    let serial = SerialNumber.bytes(of: random)
    let der: [UInt8]
    do {
      der = try await signing { authority throws(AuthorityError) in
        try authority.issueClient(
          device: device.id.description, user: device.user.text, publicKey: device.identityKey,
          serial: serial,
          notBefore: Date(timeIntervalSince1970: TimeInterval(now - Self.backdating)),
          notAfter: Date(timeIntervalSince1970: TimeInterval(notAfter)), alternativeNames: names)
      }
    } catch AuthorityError.keyUnavailable {
      throw Problem(.unavailable, detail: "no certificates can be issued now; try again later")
    }
    return IssuedCertificate(
      der: der, chain: authority.chain,
      record: CertificateRecord(
        fingerprint: Fingerprint(SHA256.hash(data: der)), serial: serial, device: device.id, notAfter: notAfter,
        issuer: authority.identifier))
  }

  /// The authority's key identifier.
  var identifier: [UInt8] { authority.identifier }

  /// Whether the authority issued one of the certificates of an OCSP request.
  func knows(_ request: OCSPRequest) -> Bool {
    let responder = OCSPResponder(authority)
    return request.certificates.contains { responder.knows($0) }
  }

  /// Runs a closure that uses the authority's key.
  func signing<T: Sendable>(
    _ body: @escaping @Sendable (CertificateAuthority) throws(AuthorityError) -> T
  ) async throws -> T {
    try await threads.run { [authority] () throws(AuthorityError) in try body(authority) }
  }

  /// Verifies a signing request and returns its key.
  ///
  /// - Throws: `.invalidSigningRequest`.
  static func publicKey(of request: Base64Bytes) throws(Problem) -> [UInt8] {
    do throws(AuthorityError) { return try CertificateAuthority.publicKey(ofRequest: request.bytes) } catch {
      throw Problem(.invalidSigningRequest, detail: "\(error)")
    }
  }
}
