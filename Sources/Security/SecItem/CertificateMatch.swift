internal import Foundation
internal import LatchkeyKeychainModel

/// Matches certificates in a search (Security-61901, SecItemServer.c and SecItem.cpp).
extension MatchCriteria {
  /// Whether the criteria require parsing the certificate.
  var filtersCertificates: Bool {
    issuers != nil || emailAddress != nil || validOn != nil || !commonName.isEmpty || evaluatesTrust
  }

  /// Whether the certificate of `item`, which must have its data, matches. A certificate that cannot be parsed does not.
  func admits(certificate item: StoredItem, in session: KeychainSession) throws(RequestFault) -> Bool {
    guard let certificate = SecCertificate(der: item.data ?? []) else { return false }
    let fields = certificate.fields
    guard admitsCommonName(fields), admitsValidity(fields), admitsAddress(fields) else { return false }
    guard try admitsIssuer(fields, in: session) else { return false }
    return try admitsTrust(certificate, in: session)
  }

  private func admitsCommonName(_ certificate: CertificateFields) -> Bool {
    if commonName.isEmpty { return true }
    guard let name = certificate.subject.texts(of: .commonName).last else { return false }
    return commonName.allSatisfy { place, text in
      var options = comparison
      switch place {
      case .anywhere: break
      case .start: options.insert(.anchored)
      case .end: options.formUnion([.anchored, .backwards])
      case .whole: return name.compare(text, options: comparison) == .orderedSame
      }
      return name.range(of: text, options: options) != nil
    }
  }

  private func admitsValidity(_ certificate: CertificateFields) -> Bool {
    guard let validOn else { return true }
    return certificate.notBefore <= validOn && validOn <= certificate.notAfter
  }

  private func admitsAddress(_ certificate: CertificateFields) -> Bool {
    guard let emailAddress else { return true }
    let addresses = certificate.mailAddresses ?? []
    return addresses.contains { $0.compare(emailAddress, options: .caseInsensitive) == .orderedSame }
  }
}
