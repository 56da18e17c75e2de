internal import NIOCore
internal import NIOSSL

/// The server's TLS: 1.2 at least, a client certificate asked for and optional, none but the authorities' believed.
enum ServerTLS {
  /// Of TLS 1.2 those with authenticated encryption and forward secrecy, which HTTP/2 wants, too (RFC 9113 9.2.2); TLS 1.3 has no
  /// others.
  private static let cipherSuites: [NIOTLSCipher] = [
    .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
  ]

  /// - Throws: when certificate and key are damaged or do not fit together.
  static func configuration(
    certificateChain: [[UInt8]], privateKey: [UInt8], authorities: [[UInt8]]
  ) throws -> TLSConfiguration {
    let chain = try certificateChain.map { try NIOSSLCertificate(bytes: $0, format: .der) }
    let key = try NIOSSLPrivateKey(bytes: privateKey, format: .der)
    let roots = try authorities.map { try NIOSSLCertificate(bytes: $0, format: .der) }
    var tls = TLSConfiguration.makeServerConfigurationWithMTLS(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key),
      trustRoots: .certificates(roots))
    // Login has no certificate yet: asked for, and required by route.
    tls.certificateVerification = .optionalVerification
    tls.minimumTLSVersion = .tlsv12
    tls.cipherSuiteValues = Self.cipherSuites
    // So that clients with several identities pick the right one.
    tls.sendCANameList = true
    // Clients that keep idle connections answer no goodbye; the server's end would wait for each as long as this.
    tls.shutdownTimeout = .seconds(1)
    return tls
  }
}
