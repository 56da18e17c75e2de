internal import LatchkeyKeychainModel

/// `kSecMatchIssuers`: a certificate matches if an issuer in its chain has one of the names. The chain is followed through
/// the certificates that the caller may use, ten steps at most (Security-61901, SecItemServer.c).
extension MatchCriteria {
  func admitsIssuer(_ certificate: CertificateFields, in session: KeychainSession) throws(RequestFault) -> Bool {
    guard let issuers else { return true }
    let wanted = Set(issuers)
    var seen: Set<[UInt8]> = []
    var names = [certificate.issuer.normalizedContent]
    for _ in 0..<10 {
      var next: [[UInt8]] = []
      for name in names where seen.insert(name).inserted {
        if wanted.contains(name) { return true }
        next += try issuersOfCertificates(named: name, in: session)
      }
      if next.isEmpty { return false }
      names = next
    }
    return false
  }

  private func issuersOfCertificates(named name: [UInt8], in session: KeychainSession) throws(RequestFault) -> [[UInt8]]
  {
    let query = ItemQuery(.certificate, attributes: [.subject: .bytes(name)], synchronizable: .any, limit: nil)
    do throws(StoreError) {
      return try session.store.find(query, as: session.entitlements).compactMap {
        guard case .bytes(let issuer)? = $0.attributes[.issuer] else { return nil }
        return issuer
      }
    } catch .itemNotFound {
      return []
    } catch {
      throw .store(error)
    }
  }
}
