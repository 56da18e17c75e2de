public import NIOSSL
public import Security

extension TLSConfiguration {
  /// A client's configuration that presents a keychain identity: TLS 1.2 at least, with full verification of the server.
  ///
  /// The private key stays in the keychain or the enclave. Each handshake calls `SecKeyCreateSignature` on a separate thread,
  /// which blocks if the key is guarded.
  ///
  /// - Parameters:
  ///   - identity: a certificate with a private key on P-256, P-384, P-521 or RSA that may sign.
  ///   - certificates: the issuers to present, nearest first; nil, the default, uses those in the keychain, without the root.
  ///   - trustRoots: the trusted roots for the server's certificate.
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

  /// The configuration of ``init(identity:certificates:trustRoots:)``, named like NIOSSL's others.
  public static func makeClientConfiguration(
    identity: SecIdentity, certificates: [SecCertificate]? = nil, trustRoots: NIOSSLTrustRoots = .default
  ) throws(EnrollmentError) -> TLSConfiguration {
    try TLSConfiguration(identity: identity, certificates: certificates, trustRoots: trustRoots)
  }

  /// Presents an identity in this configuration.
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
