internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL
internal import Security

/// The HTTP clients of requests to services: one for each certificate that is presented and each set of trusted roots.
actor ServiceConnections {
  private struct Key: Hashable {
    let certificate: SecCertificate?
    let roots: [SecCertificate]?
  }
  private var clients: [(key: Key, client: ServiceHTTPClient)] = []
  /// How many are kept; the one that was made first goes first.
  private static let most = 4

  func client(showing credential: Credential?, trusting roots: [SecCertificate]?) async throws -> ServiceHTTPClient {
    let key = Key(certificate: credential?.identity?.certificate, roots: roots)
    if let known = clients.first(where: { $0.key == key }) { return known.client }
    let trusted: NIOSSLTrustRoots
    do {
      trusted =
        try roots.map { .certificates(try $0.map { try NIOSSLCertificate(bytes: $0.der, format: .der) }) } ?? .default
    } catch {
      throw EnrollmentError.misuse("a root certificate cannot be read")
    }
    var tls: TLSConfiguration
    if let credential, let identity = credential.identity {
      tls = try await blocking { () throws(EnrollmentError) in
        try TLSConfiguration(identity: identity, certificates: credential.issuers, trustRoots: trusted)
      }
    } else {
      tls = .makeClientConfiguration()
      tls.minimumTLSVersion = .tlsv12
      tls.trustRoots = trusted
    }
    let client = ServiceHTTPClient(tls)
    if clients.count >= Self.most { clients.removeFirst() }
    clients.append((key, client))
    return client
  }

  /// Closes all connections; the next request opens new ones.
  func close() { clients = [] }
}

/// An HTTP client that ends with its last user. It follows no redirection: to another host it would carry the signature and the certificate
/// along.
final class ServiceHTTPClient: Sendable {
  let http: HTTPClient

  init(_ tls: TLSConfiguration) {
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow, decompression: .disabled)
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.timeout.read = .seconds(60)
    http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  deinit { http.shutdown { _ in } }
}
