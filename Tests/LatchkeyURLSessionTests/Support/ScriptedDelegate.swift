import Foundation
import FoundationNetworking
import LatchkeyURLSession
import Security
import Synchronization

/// A delegate that answers as a test says, and remembers what it was asked.
final class ScriptedDelegate: NSObject, URLSessionTaskDelegate {
  typealias Handler = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  typealias Answer = @Sendable (URLAuthenticationChallenge, Handler) -> Void

  private let asked = Mutex<[String]>([])
  private let answer: Answer
  private let redirect: @Sendable (URLRequest) -> URLRequest?
  /// Finishes when the session has become invalid.
  let invalidation = AsyncStream<Void>.makeStream()

  init(_ answer: @escaping Answer, redirect: @escaping @Sendable (URLRequest) -> URLRequest? = { $0 }) {
    self.answer = answer
    self.redirect = redirect
  }

  /// The methods of the challenges, in their order.
  var methods: [String] { asked.withLock { $0 } }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge, completionHandler: @escaping Handler
  ) {
    asked.withLock { $0.append(challenge.protectionSpace.authenticationMethod) }
    answer(challenge, completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(redirect(request))
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    invalidation.continuation.finish()
  }
}

extension ScriptedDelegate {
  /// Trusts servers below this root, and presents an identity if there is one.
  static func trusting(
    _ root: SecCertificate, identity: SecIdentity? = nil, certificates: [SecCertificate]? = nil,
    redirect: @escaping @Sendable (URLRequest) -> URLRequest? = { $0 }
  ) -> ScriptedDelegate {
    let answer: Answer = { challenge, handler in
      let space = challenge.protectionSpace
      switch space.authenticationMethod {
      case NSURLAuthenticationMethodServerTrust:
        guard let trust = space.serverTrust, trust.isTrusted(below: root) else {
          return handler(.cancelAuthenticationChallenge, nil)
        }
        handler(.useCredential, URLCredential(trust: trust))
      case NSURLAuthenticationMethodClientCertificate:
        guard let identity else { return handler(.performDefaultHandling, nil) }
        handler(
          .useCredential, URLCredential(identity: identity, certificates: certificates, persistence: .forSession))
      default: handler(.performDefaultHandling, nil)
      }
    }
    return ScriptedDelegate(answer, redirect: redirect)
  }
}

extension SecTrust {
  /// Whether the chain leads to this root, and is for the host of the policy.
  func isTrusted(below root: SecCertificate) -> Bool {
    SecTrustSetAnchorCertificates(self, [root] as NSArray) == errSecSuccess && SecTrustEvaluateWithError(self, nil)
  }

  /// The certificates as the server sent them: the leaf's DER is enough for a pin.
  var leaf: Data? {
    (SecTrustCopyCertificateChain(self) as? [SecCertificate])?.first.map { SecCertificateCopyData($0) as Data }
  }
}
