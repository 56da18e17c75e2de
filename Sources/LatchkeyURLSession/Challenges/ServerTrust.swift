internal import Foundation
internal import FoundationNetworking
internal import LatchkeySystem
internal import Security

/// Decides whether a server is trusted: the delegates are asked, and where they want the default, the chain is evaluated.
struct ServerTrust: Sendable {
  let origin: Origin
  let questions: DelegateQuestions

  /// The limit of a chain, as in `SecTrust`.
  private static let mostCertificates = 128

  /// Returns if the server is trusted.
  ///
  /// - Parameter chain: the certificates as the server sent them, DER.
  /// - Throws: `URLError`: `.cancelled` if a delegate cancels, `.serverCertificate…` if nobody trusts the server.
  func check(_ chain: [[UInt8]]) async throws {
    let trust = try trust(in: chain)
    let reply = try await questions.reply(to: TLSProtectionSpace(origin, trust: trust))
    switch reply.disposition {
    case .useCredential:
      guard let credential = reply.credential else { return try await evaluate(trust) }
      // A credential for another trust says nothing about this server.
      guard credential.trust === trust else {
        throw origin.error(
          .serverCertificateUntrusted, "the delegate's credential is not for this server's certificates")
      }
    case .performDefaultHandling: try await evaluate(trust)
    case .cancelAuthenticationChallenge: throw origin.error(.cancelled, "the delegate cancelled the challenge")
    case .rejectProtectionSpace:
      throw origin.error(.serverCertificateUntrusted, "the delegate rejected the server's certificates")
    }
  }

  private func trust(in chain: [[UInt8]]) throws -> SecTrust {
    guard chain.count <= Self.mostCertificates, let first = chain.first, let leaf = SecCertificate(der: first) else {
      throw origin.error(.serverCertificateUntrusted, "the server's certificates cannot be read")
    }
    // One that cannot be read cannot be an issuer.
    let certificates = [leaf] + chain.dropFirst().compactMap { SecCertificate(der: $0) }
    var trust: SecTrust?
    let policy = SecPolicyCreateSSL(true, origin.host as NSString)
    guard SecTrustCreateWithCertificates(certificates as NSArray, policy, &trust) == errSecSuccess, let trust else {
      throw origin.error(.serverCertificateUntrusted, "the server's certificates cannot be read")
    }
    return trust
  }

  /// Evaluates on a thread that may block: signatures are verified, and the system's roots are read at first use.
  private func evaluate(_ trust: SecTrust) async throws {
    let fault = await BlockingThreads.urlSession.run { [origin] () -> URLError? in
      var error: CFError?
      if SecTrustEvaluateWithError(trust, &error) { return nil }
      let status = error.map { OSStatus(truncatingIfNeeded: $0.code) } ?? errSecInternalError
      let code: URLError.Code =
        switch status {
        case errSecCertificateExpired: .serverCertificateHasBadDate
        case errSecCertificateNotValidYet: .serverCertificateNotYetValid
        case errSecNotTrusted, errSecCreateChainFailed: .serverCertificateHasUnknownRoot
        default: .serverCertificateUntrusted
        }
      return origin.error(code, error?.localizedDescription ?? "the server's certificates are not trusted", error)
    }
    if let fault { throw fault }
  }
}

extension BlockingThreads {
  /// Where this module evaluates chains and reads the keychain.
  static let urlSession = BlockingThreads(label: "URLSession", width: 8)
}
