import Foundation
import FoundationNetworking
import LatchkeyTLSTestSupport
import LatchkeyURLSession
import NIOSSL
import Security
import Testing

/// What a delegate says of a server, and what becomes of the request.
@Suite struct ServerTrustTests {
  @Test("A pinned certificate is accepted, whoever issued it", arguments: [TLSVersion.tlsv12, .tlsv13])
  func pinned(_ version: TLSVersion) async throws {
    let site = try await TestSite(version: version)
    let delegate = ScriptedDelegate { [leaf = site.leaf] challenge, handler in
      guard let trust = challenge.protectionSpace.serverTrust, trust.leaf == leaf else {
        return handler(.cancelAuthenticationChallenge, nil)
      }
      handler(.useCredential, URLCredential(trust: trust))
    }
    let (data, response) = try await AuthenticatingSession(delegate: delegate).data(from: site.url)
    #expect(data == Data("hello".utf8))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(delegate.methods == [NSURLAuthenticationMethodServerTrust])
  }

  @Test("A wrong pin cancels, and the server gets no request") func wrongPin() async throws {
    let (site, other) = (try await TestSite(), try await TestSite())
    let delegate = ScriptedDelegate { [leaf = other.leaf] challenge, handler in
      guard let trust = challenge.protectionSpace.serverTrust, trust.leaf == leaf else {
        return handler(.cancelAuthenticationChallenge, nil)
      }
      handler(.useCredential, URLCredential(trust: trust))
    }
    #expect(await code(of: { try await load(site, delegate) }) == .cancelled)
    #expect(site.server.requests.isEmpty)
  }

  @Test("The trust has the policy of the host: a certificate of another one is not trusted") func otherHost()
    async throws
  {
    let site = try await TestSite(names: ["other.example"])
    #expect(await code(of: { try await load(site, ScriptedDelegate.trusting(site.root)) }) == .cancelled)
    #expect(site.server.requests.isEmpty)
  }

  @Test("By default an unknown root is refused, with the reason") func unknownRoot() async throws {
    let site = try await TestSite()
    let delegate = ScriptedDelegate { _, handler in handler(.performDefaultHandling, nil) }
    do {
      try await load(site, delegate)
      Issue.record("the server was trusted")
    } catch let error as URLError {
      #expect(error.code == .serverCertificateHasUnknownRoot)
      #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == NSOSStatusErrorDomain)
      #expect(error.failingURL == site.url)
    }
    #expect(site.server.requests.isEmpty)
  }

  @Test("Without a delegate an unknown root is refused") func noDelegate() async throws {
    let site = try await TestSite()
    #expect(await code(of: { try await load(site, nil) }) == .serverCertificateHasUnknownRoot)
    #expect(site.server.requests.isEmpty)
  }

  @Test("Default handling takes the anchors that the delegate set") func defaultWithAnchors() async throws {
    let site = try await TestSite()
    let delegate = ScriptedDelegate { [root = site.root] challenge, handler in
      if let trust = challenge.protectionSpace.serverTrust { SecTrustSetAnchorCertificates(trust, [root] as NSArray) }
      handler(.performDefaultHandling, nil)
    }
    try await load(site, delegate)
    #expect(site.server.requests.count == 1)
  }

  @Test("No credential is no trust: the chain is evaluated") func noCredential() async throws {
    let site = try await TestSite()
    let delegate = ScriptedDelegate { _, handler in handler(.useCredential, nil) }
    #expect(await code(of: { try await load(site, delegate) }) == .serverCertificateHasUnknownRoot)
  }

  @Test("A credential for another trust, or of another kind, is refused") func otherCredential() async throws {
    let site = try await TestSite()
    let leaf = try #require(SecCertificateCreateWithData(nil, site.leaf as CFData))
    var other: SecTrust?
    #expect(SecTrustCreateWithCertificates(leaf, nil, &other) == errSecSuccess)
    let credentials = [
      URLCredential(trust: try #require(other)), URLCredential(user: "anna", password: "secret", persistence: .none),
    ]
    for credential in credentials {
      let delegate = ScriptedDelegate { _, handler in handler(.useCredential, credential) }
      #expect(await code(of: { try await load(site, delegate) }) == .serverCertificateUntrusted)
    }
    #expect(site.server.requests.isEmpty)
  }

  @Test("A rejected space refuses the server") func rejected() async throws {
    let site = try await TestSite()
    let delegate = ScriptedDelegate { _, handler in handler(.rejectProtectionSpace, nil) }
    #expect(await code(of: { try await load(site, delegate) }) == .serverCertificateUntrusted)
    #expect(site.server.requests.isEmpty)
  }

  @Test("Of two answers the first counts") func twoAnswers() async throws {
    let site = try await TestSite()
    let trusting = ScriptedDelegate { challenge, handler in
      handler(.useCredential, challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) })
      handler(.cancelAuthenticationChallenge, nil)
    }
    try await load(site, trusting)
    let cancelling = ScriptedDelegate { challenge, handler in
      handler(.cancelAuthenticationChallenge, nil)
      handler(.useCredential, challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) })
    }
    #expect(await code(of: { try await load(site, cancelling) }) == .cancelled)
    #expect(site.server.requests.count == 1)
  }

  @Test("A delegate that never answers ends at the time limit") func noAnswer() async throws {
    let site = try await TestSite()
    let delegate = ScriptedDelegate { _, _ in }
    var request = URLRequest(url: site.url)
    request.timeoutInterval = 0.3
    let session = AuthenticatingSession(delegate: delegate)
    #expect(await code(of: { _ = try await session.data(for: request) }) == .timedOut)
    #expect(site.server.requests.isEmpty)
  }

  @Test("The sender of a challenge answers, too") func sender() async throws {
    let site = try await TestSite()
    let delegate = ScriptedDelegate { challenge, _ in
      guard let trust = challenge.protectionSpace.serverTrust else { return }
      challenge.sender?.use(URLCredential(trust: trust), for: challenge)
    }
    try await load(site, delegate)
    let cancelling = ScriptedDelegate { challenge, _ in challenge.sender?.cancel(challenge) }
    #expect(await code(of: { try await load(site, cancelling) }) == .cancelled)
  }

  @Test("A delegate of the task is asked before that of the session") func delegateOfTheTask() async throws {
    let site = try await TestSite()
    let (refusing, trusting) = (
      ScriptedDelegate { _, handler in handler(.cancelAuthenticationChallenge, nil) },
      ScriptedDelegate.trusting(site.root)
    )
    let session = AuthenticatingSession(delegate: refusing)
    _ = try await session.data(from: site.url, delegate: trusting)
    #expect(refusing.methods.isEmpty)
    // One that leaves it to the default does not take the pin of the session away.
    let indifferent = ScriptedDelegate { _, handler in handler(.performDefaultHandling, nil) }
    #expect(await code(of: { _ = try await session.data(from: site.url, delegate: indifferent) }) == .cancelled)
  }

  @Test("The delegate is asked again for each request") func askedAgain() async throws {
    let site = try await TestSite()
    let delegate = ScriptedDelegate.trusting(site.root)
    let session = AuthenticatingSession(delegate: delegate)
    for _ in 0..<3 { _ = try await session.data(from: site.url) }
    #expect(delegate.methods.count == 3)
  }

  private func load(_ site: TestSite, _ delegate: ScriptedDelegate?) async throws {
    _ = try await AuthenticatingSession(delegate: delegate).data(from: site.url)
  }
}
