public import NIOSSL
public import Security

extension TLSConfiguration {
  /// A client's configuration that shows an identity of the keychain: TLS 1.2 at least, the server fully verified.
  ///
  /// The private key stays where it is; it may be one of the enclave. Each handshake asks `SecKeyCreateSignature` for a
  /// signature, on a thread of its own, which waits if the key is guarded.
  ///
  /// - Parameters:
  ///   - identity: a certificate with a private key on P-256, P-384, P-521 or RSA that may sign.
  ///   - certificates: the issuers to show along, nearest first; nil, the default, takes those that the keychain has, the
  ///     root left out.
  ///   - trustRoots: who may vouch for the server.
  /// - Throws: ``EnrollmentError``: `.misuse` for a key that cannot sign in TLS, `.keychain`.
  public init(
    identity: SecIdentity, certificates: [SecCertificate]? = nil, trustRoots: NIOSSLTrustRoots = .default
  ) throws(EnrollmentError) {
    self = .makeClientConfiguration()
    minimumTLSVersion = .tlsv12
    certificateVerification = .fullVerification
    self.trustRoots = trustRoots
    try show(identity, certificates: certificates)
  }

  /// The configuration of ``init(identity:certificates:trustRoots:)``, named as NIOSSL names the others.
  public static func makeClientConfiguration(
    identity: SecIdentity, certificates: [SecCertificate]? = nil, trustRoots: NIOSSLTrustRoots = .default
  ) throws(EnrollmentError) -> TLSConfiguration {
    try TLSConfiguration(identity: identity, certificates: certificates, trustRoots: trustRoots)
  }

  /// Shows an identity, in this configuration.
  private mutating func show(_ identity: SecIdentity, certificates: [SecCertificate]?) throws(EnrollmentError) {
    let issuers: [SecCertificate]
    if let certificates { issuers = certificates } else { issuers = try IssuerCertificates.of(identity.certificate) }
    do {
      certificateChain = try ([identity.certificate] + issuers).map {
        .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der))
      }
    } catch {
      throw .misuse("a certificate of the identity is none that TLS can show")
    }
    privateKey = .privateKey(NIOSSLPrivateKey(customPrivateKey: try KeychainPrivateKey(identity.key)))
  }
}
