internal import NIOCore
internal import NIOSSL

/// The server's TLS: 1.2 at least, a client certificate asked for and optional, none but the authority's believed.
enum ServerTLS {
  /// - Throws: when certificate and key are damaged or do not fit together.
  static func configuration(
    certificateChain: [[UInt8]], privateKey: [UInt8], authority: [[UInt8]]
  ) throws -> TLSConfiguration {
    let chain = try certificateChain.map { try NIOSSLCertificate(bytes: $0, format: .der) }
    let key = try NIOSSLPrivateKey(bytes: privateKey, format: .der)
    let roots = try authority.map { try NIOSSLCertificate(bytes: $0, format: .der) }
    var tls = TLSConfiguration.makeServerConfigurationWithMTLS(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key),
      trustRoots: .certificates(roots))
    // Login has no certificate yet: asked for, and required by route.
    tls.certificateVerification = .optionalVerification
    tls.minimumTLSVersion = .tlsv12
    // So that clients with several identities pick the right one.
    tls.sendCANameList = true
    // Clients that keep idle connections answer no goodbye; the server's end would wait for each as long as this.
    tls.shutdownTimeout = .seconds(1)
    return tls
  }
}
