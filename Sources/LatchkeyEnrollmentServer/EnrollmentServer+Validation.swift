internal import NIOSSL

extension EnrollmentServer {
  /// Validates a certificate with its key as ``init(_:)`` and ``reload(certificateChain:privateKey:)`` do, without a server.
  ///
  /// - Parameters:
  ///   - certificateChain: DER, leaf first.
  ///   - privateKey: PKCS#8, DER. A secret.
  ///   - authorities: the certificates of the devices' authorities, DER.
  /// - Throws: if they are damaged or do not match.
  public static func validate(certificateChain: [[UInt8]], privateKey: [UInt8], authorities: [[UInt8]]) throws {
    _ = try NIOSSLContext(
      configuration: ServerTLS.configuration(
        certificateChain: certificateChain, privateKey: privateKey, authorities: authorities))
  }
}
