internal import NIOSSL
internal import Security

/// The connections of a client, without and with a client certificate. A new certificate gets new connections.
actor Connections {
  private let configuration: EnrollmentConfiguration
  private var anonymous: HTTPExchange?
  private var identified: (certificate: SecCertificate, exchange: HTTPExchange)?

  init(_ configuration: EnrollmentConfiguration) { self.configuration = configuration }

  /// The connections that present this credential's identity; nil presents none.
  func exchange(showing credential: Credential?) async throws(EnrollmentError) -> HTTPExchange {
    let roots = try trustRoots()
    guard let credential, let identity = credential.identity else {
      if let anonymous { return anonymous }
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.minimumTLSVersion = .tlsv12
      tls.trustRoots = roots
      let exchange = HTTPExchange(tls, to: configuration.server)
      anonymous = exchange
      return exchange
    }
    if let identified, identified.certificate == identity.certificate { return identified.exchange }
    let tls = try await blocking { () throws(EnrollmentError) in
      try TLSConfiguration(identity: identity, certificates: credential.issuers, trustRoots: roots)
    }
    // Another caller may have finished while this one asked the keychain.
    if let identified, identified.certificate == identity.certificate { return identified.exchange }
    let exchange = HTTPExchange(tls, to: configuration.server)
    identified = (identity.certificate, exchange)
    return exchange
  }

  /// Closes all connections; the next request opens new ones.
  func close() {
    anonymous = nil
    identified = nil
  }

  private func trustRoots() throws(EnrollmentError) -> NIOSSLTrustRoots {
    guard let roots = configuration.trustRoots else { return .default }
    do {
      return .certificates(try roots.map { try NIOSSLCertificate(bytes: $0.der, format: .der) })
    } catch {
      throw .misuse("a root certificate cannot be read")
    }
  }
}
