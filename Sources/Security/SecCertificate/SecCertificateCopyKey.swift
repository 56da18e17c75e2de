internal import LatchkeyEnclaveKeys

/// The public key of a certificate (Apple, SecCertificate.h); nil for an unsupported key, such as a curve other than P-256,
/// P-384 and P-521, or RSA with more than 16384 bits.
@discardableResult
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
  guard let family = certificate.fields.publicKeyFamily,
    let key = try? PublicKey(externalRepresentation: certificate.fields.publicKey, family: family)
  else { return nil }
  return SecKey(.public(key))
}

/// The older iOS name of ``SecCertificateCopyKey(_:)``.
@available(*, deprecated, renamed: "SecCertificateCopyKey")
@discardableResult
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate) -> SecKey? { SecCertificateCopyKey(certificate) }
