import LatchkeyByteCoding

/// The fields of a certificate (RFC 5280 4.1) for matching keys and ordering chains: its names and its public key.
///
/// Files may contain certificates in BER, and certificates that no verifier accepts. So this reader skips all other fields. The
/// keychain has a separate reader, which validates each field as DER.
struct PairingCertificate {
  /// DER of the two names.
  let issuer: [UInt8]
  let subject: [UInt8]
  let publicKey: PublicHalf?

  var isSelfIssued: Bool { issuer == subject }

  /// - Returns: nil if the bytes are not a certificate.
  init?(_ der: [UInt8]) {
    do {
      var whole = PKCS12Reader(der, rules: .ber, depth: 16)
      var certificate = try whole.item(.sequence, "a certificate")
      var parts = try certificate.item(.sequence, "a certificate's content")
      if parts.comes(.context0) { _ = try parts.element("the version of a certificate") }
      _ = try parts.item(.integer, "the serial number")
      _ = try parts.item(.sequence, "the signature's algorithm")
      let issuer = try parts.item(.sequence, "the issuer")
      _ = try parts.item(.sequence, "the validity")
      let subject = try parts.item(.sequence, "the subject")
      (self.issuer, self.subject) = (issuer.bytes(), subject.bytes())
      publicKey = try? PublicHalf(subjectPublicKeyInfo: &parts)
    } catch {
      return nil
    }
  }
}
