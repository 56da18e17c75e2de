public import ServiceLifecycle

/// The enrollment service: one TLS port, client certificates optional at the handshake and required by route.
public struct EnrollmentServer: Service {
  private let services: Services

  /// A server; nothing listens before ``run()``.
  ///
  /// - Throws: when the certificate, its key or the authority do not fit together.
  public init(_ configuration: ServerConfiguration) throws {
    services = Services(configuration)
  }

  /// Serves until graceful shutdown: no new requests, those under way end, then the store is closed.
  public func run() async throws {}

  /// The port that is listened on, once it is.
  public var port: Int { get async throws { 0 } }
}
