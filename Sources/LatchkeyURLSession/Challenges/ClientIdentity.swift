internal import Foundation
internal import FoundationNetworking
internal import LatchkeyEnrollment
internal import LatchkeySystem
internal import NIOSSL
internal import Security

/// Decides which client certificate a server gets that asks for one. The private key stays where it is: `LatchkeyEnrollment` signs with
/// it during the handshake.
struct ClientIdentity: Sendable {
  let origin: Origin
  let questions: DelegateQuestions

  /// The certificates and the key to present; nil for none, as by default.
  ///
  /// - Throws: `URLError`: `.cancelled` if a delegate cancels, `.clientCertificateRejected` for an identity that TLS cannot show.
  func choose() async throws -> NIOSSLContextConfigurationOverride? {
    let reply = try await questions.reply(to: TLSProtectionSpace(clientCertificateFor: origin))
    switch reply.disposition {
    case .performDefaultHandling, .rejectProtectionSpace: return nil
    case .cancelAuthenticationChallenge: throw origin.error(.cancelled, "the delegate cancelled the challenge")
    case .useCredential:
      guard let credential = reply.credential else { return nil }
      guard let identity = credential.identity else {
        throw origin.error(.clientCertificateRejected, "the delegate's credential has no identity")
      }
      let issuers = credential.certificates.compactMap { $0 as? SecCertificate }.filter { $0 != identity.certificate }
      return try await Self.presentation(of: identity, issuers: issuers, origin)
    }
  }

  private static func presentation(
    of identity: SecIdentity, issuers: [SecCertificate], _ origin: Origin
  ) async throws -> NIOSSLContextConfigurationOverride {
    do {
      return try await BlockingThreads.urlSession.run {
        () throws(EnrollmentError) -> NIOSSLContextConfigurationOverride in
        let tls = try TLSConfiguration(identity: identity, certificates: issuers.isEmpty ? nil : issuers)
        var presentation = NIOSSLContextConfigurationOverride()
        presentation.certificateChain = tls.certificateChain
        presentation.privateKey = tls.privateKey
        return presentation
      }
    } catch {
      throw origin.error(.clientCertificateRejected, "the identity cannot be presented: \(error)", error)
    }
  }
}
