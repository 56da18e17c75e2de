internal import Crypto
internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import NIOSSL
public import Security

extension EnrollmentConfiguration {
  /// More than any authority's chain has.
  private static let longestChain = 64 * 1024

  /// The certificate of a server's authority that has this SHA-256, asked of the server itself: for a device that was given the digest alone.
  /// It is public; nothing secret is sent, and the digest vouches for what comes. Connections that trust it verify the server as always.
  ///
  /// - Parameters:
  ///   - sha256: the SHA-256 of the certificate in DER, 32 bytes.
  ///   - timeout: how long the server may take.
  /// - Throws: ``EnrollmentError``: `.unreachable`; `.untrustedServer` if the server has no such certificate; `CancellationError`.
  public static func trustRoot(
    of server: ServerAddress, sha256: [UInt8], within timeout: Duration = .seconds(15)
  ) async throws -> SecCertificate {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    // The answer is not authenticated: only a certificate with the digest is accepted.
    tls.certificateVerification = .none
    let exchange = HTTPExchange(tls, to: server)
    let answer: IncomingAnswer
    do {
      answer = try await exchange.send(
        OutgoingRequest(method: "GET", url: "\(server)\(Routes.authority)"), within: timeout)
    } catch let failure as ExchangeFailure {
      switch failure {
      case .refused(let error): throw error
      case .notSent(let detail), .noAnswer(let detail): throw EnrollmentError.unreachable(detail)
      }
    }
    guard answer.status == 200, answer.body.count <= longestChain,
      let chain = try? NIOSSLCertificate.fromPEMBytes(answer.body)
    else { throw EnrollmentError.untrustedServer("it does not say who vouches for it") }
    for certificate in chain {
      guard let der = try? certificate.toDERBytes(), constantTimeEquals(Array(SHA256.hash(data: der)), sha256) else {
        continue
      }
      if let root = SecCertificateCreateWithData(nil, Data(der) as CFData) { return root }
    }
    throw EnrollmentError.untrustedServer("no certificate of its authority has the digest that was given")
  }
}
