internal import NIOCore
internal import NIOSSL

/// The server's TLS: 1.2 at least, a client certificate requested but optional, and only the authorities' accepted.
enum ServerTLS {
  /// The TLS 1.2 suites with authenticated encryption and forward secrecy, as HTTP/2 requires, too (RFC 9113 9.2.2); TLS 1.3
  /// has no others.
  private static let cipherSuites: [NIOTLSCipher] = [
    .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
  ]

  /// - Throws: if certificate and key are damaged or do not match.
  static func configuration(
    certificateChain: [[UInt8]], privateKey: [UInt8], authorities: [[UInt8]]
  ) throws -> TLSConfiguration {
    let chain = try certificateChain.map { try NIOSSLCertificate(bytes: $0, format: .der) }
    let key = try NIOSSLPrivateKey(bytes: privateKey, format: .der)
    let roots = try authorities.map { try NIOSSLCertificate(bytes: $0, format: .der) }
    var tls = TLSConfiguration.makeServerConfigurationWithMTLS(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key),
      trustRoots: .certificates(roots))
    // A login has no certificate yet, so it is requested here, and required by route.
    tls.certificateVerification = .optionalVerification
    tls.minimumTLSVersion = .tlsv12
    tls.cipherSuiteValues = Self.cipherSuites
    // Lets clients with several identities select the right one.
    tls.sendCANameList = true
    // Clients with idle connections do not answer close_notify; shutdown would wait this long for each.
    tls.shutdownTimeout = .seconds(1)
    return tls
  }
}
