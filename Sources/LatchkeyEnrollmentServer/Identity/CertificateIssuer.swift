internal import Crypto
internal import Foundation
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// A certificate that was made, before the store knows it: until then it counts nowhere.
struct IssuedCertificate: Sendable {
  let der: [UInt8]
  let record: CertificateRecord
}

/// Lets the authority sign devices' certificates, on threads of their own: its key may lie in an enclave that takes its time.
package struct CertificateIssuer: Sendable {
  private let authority: CertificateAuthority
  private let lifetime: Int64
  private let threads = OwnThreads(label: "certificate-issuer", count: 2)

  init(_ authority: CertificateAuthority, lifetime: Int64) {
    self.authority = authority
    self.lifetime = lifetime
  }

  /// Clocks of devices may be behind by so many seconds.
  private static let backdating: Int64 = 300

  /// A certificate for a device's key.
  ///
  /// - Throws: ``Problem``: `.unavailable` where the authority's key does not sign.
  func issue(
    to device: Identifier, user: UserName, publicKey: [UInt8], random: [UInt8], now: Int64
  ) async throws -> IssuedCertificate {
    let notAfter = min(now + lifetime, Int64(authority.notAfter.timeIntervalSince1970))
    // 127 random bits; the first byte keeps the number positive and 16 bytes long.
    let serial = [(random[0] & 0x3F) | 0x40] + random.dropFirst()
    let der: [UInt8]
    do {
      der = try await signing { authority throws(AuthorityError) in
        try authority.issueClient(
          device: device.description, user: user.text, publicKey: publicKey, serial: serial,
          notBefore: Date(timeIntervalSince1970: TimeInterval(now - Self.backdating)),
          notAfter: Date(timeIntervalSince1970: TimeInterval(notAfter)))
      }
    } catch AuthorityError.keyUnavailable {
      throw Problem(.unavailable, detail: "no certificates can be issued now; try again later")
    }
    return IssuedCertificate(
      der: der,
      record: CertificateRecord(
        fingerprint: Fingerprint(SHA256.hash(data: der)), serial: serial, device: device, notAfter: notAfter))
  }

  /// Runs what the authority's key signs in.
  func signing<T: Sendable>(
    _ body: @escaping @Sendable (CertificateAuthority) throws(AuthorityError) -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { caller in
      threads.run { [authority] in caller.resume(with: Result { try body(authority) }) }
    }
  }

  /// The key of a signing request.
  ///
  /// - Throws: `.invalidSigningRequest`.
  static func publicKey(of request: Base64Bytes) throws(Problem) -> [UInt8] {
    do throws(AuthorityError) { return try CertificateAuthority.publicKey(ofRequest: request.bytes) } catch {
      throw Problem(.invalidSigningRequest, detail: "\(error)")
    }
  }
}
