internal import NIOSSL
internal import Security

/// The connections of a client: those that show no certificate, and those that show one. A new certificate gets new ones.
actor Connections {
  private let configuration: EnrollmentConfiguration
  private var anonymous: HTTPExchange?
  private var identified: (certificate: SecCertificate, exchange: HTTPExchange)?

  init(_ configuration: EnrollmentConfiguration) { self.configuration = configuration }

  /// The one that shows this credential's identity; nil shows none.
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

  /// Closes all; the next request opens new ones.
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
