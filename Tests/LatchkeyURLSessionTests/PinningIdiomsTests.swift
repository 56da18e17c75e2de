import LatchkeyURLSession
import Testing

/// Delegates as they are written for Apple's systems: the import is all that is new.
@Suite struct PinningIdiomsTests {
  @Test("A delegate that pins the public key of a certificate works") func publicKey() async throws {
    let site = try await TestSite()
    let leaf = try #require(SecCertificateCreateWithData(nil, site.leaf as CFData))
    let key = try #require(SecCertificateCopyKey(leaf).flatMap { SecKeyCopyExternalRepresentation($0, nil) }) as Data
    let session = AuthenticatingSession(
      configuration: .default, delegate: PublicKeyPinner(pins: [key]), delegateQueue: nil)
    let (data, _) = try await session.data(from: site.url)
    #expect(String(decoding: data, as: UTF8.self) == "hello")
    let strict = AuthenticatingSession(configuration: .default, delegate: PublicKeyPinner(pins: []), delegateQueue: nil)
    #expect(await code(of: { _ = try await strict.data(from: site.url) }) == .cancelled)
  }

  @Test("A delegate of tasks alone is asked by its method") func taskDelegate() async throws {
    let site = try await TestSite()
    let session = AuthenticatingSession(
      configuration: .default, delegate: TaskPinner(leaf: site.leaf), delegateQueue: .main)
    _ = try await session.data(from: site.url)
    let strict = AuthenticatingSession(configuration: .default, delegate: TaskPinner(leaf: Data()))
    #expect(await code(of: { _ = try await strict.data(from: site.url) }) == .cancelled)
  }
}

private final class PublicKeyPinner: NSObject, URLSessionDelegate {
  private let pins: [Data]

  init(pins: [Data]) { self.pins = pins }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
      challenge.protectionSpace.host == "localhost", let serverTrust = challenge.protectionSpace.serverTrust
    else {
      completionHandler(.performDefaultHandling, nil)
      return
    }
    if let key = SecTrustCopyKey(serverTrust), let data = SecKeyCopyExternalRepresentation(key, nil) as Data?,
      pins.contains(data)
    {
      completionHandler(.useCredential, URLCredential(trust: serverTrust))
    } else {
      completionHandler(.cancelAuthenticationChallenge, nil)
    }
  }
}

private final class TaskPinner: NSObject, URLSessionTaskDelegate {
  private let leaf: Data

  init(leaf: Data) { self.leaf = leaf }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, let trust = space.serverTrust,
      let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate],
      let first = chain.first, SecCertificateCopyData(first) as Data == leaf
    else { return completionHandler(.cancelAuthenticationChallenge, nil) }
    completionHandler(.useCredential, URLCredential(trust: trust))
  }
}
