internal import Foundation
internal import LatchkeyKeychainModel

/// `kSecMatchTrustedOnly` and `kSecMatchPolicy`: a certificate matches if it is trusted (Security-61901, SecItemServer.c).
/// Issuers are the certificates in the keychain that the caller may use, and roots are those that the system trusts.
extension MatchCriteria {
  /// Whether the criteria require a trust evaluation.
  var evaluatesTrust: Bool { trustedOnly || policy != nil }

  func admitsTrust(_ certificate: SecCertificate, in session: KeychainSession) throws(RequestFault) -> Bool {
    if trustedOnly {
      let parameters = SecTrust.Parameters(
        certificates: [certificate] + (try issuers(of: certificate, in: session)),
        policies: [SecPolicyCreateBasicX509()])
      guard SecTrust(parameters).outcome().fault == nil else { return false }
    }
    guard let policy else { return true }
    var parameters = SecTrust.Parameters(certificates: [certificate], policies: [policy])
    parameters.verifyTime = validOn
    switch policy.rule {
    case .purpose(.basic), .revocation: parameters.certificates += try issuers(of: certificate, in: session)
    case .purpose:
      // A policy of TLS checks the certificate's purpose, not its issuer, which the peer verifies. So the certificate is its
      // own anchor.
      parameters.anchors = [certificate]
      parameters.trustsOnlyAnchors = true
    }
    return SecTrust(parameters).outcome().fault == nil
  }

  /// The certificates in the keychain that may chain from `certificate` to a root: at most ten steps and 100 certificates.
  private func issuers(
    of certificate: SecCertificate, in session: KeychainSession
  ) throws(RequestFault) -> [SecCertificate] {
    var seen: Set<[UInt8]> = []
    var found: [SecCertificate] = []
    var names = [certificate.fields.issuer.normalizedContent]
    for _ in 0..<10 {
      var next: [[UInt8]] = []
      for name in names where seen.insert(name).inserted {
        for issuer in try certificates(named: name, in: session) where found.count < 100 {
          found.append(issuer)
          next.append(issuer.fields.issuer.normalizedContent)
        }
      }
      if next.isEmpty { break }
      names = next
    }
    return found
  }

  private func certificates(
    named name: [UInt8], in session: KeychainSession
  ) throws(RequestFault) -> [SecCertificate] {
    let query = ItemQuery(
      .certificate, attributes: [.subject: .bytes(name)], synchronizable: .any, limit: 100, wantsData: true)
    do throws(StoreError) {
      return try session.store.find(query, as: session.entitlements).compactMap { SecCertificate(der: $0.data ?? []) }
    } catch .itemNotFound {
      return []
    } catch {
      throw .store(error)
    }
  }
}
