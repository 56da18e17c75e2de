import Foundation
import FoundationNetworking
import LatchkeyTLSTestSupport
import LatchkeyURLSession
import Security
import Testing

/// Requests, responses and their bounds.
@Suite struct AuthenticatingSessionTests {
  @Test("Method, fields and body arrive; fields of the connection are the session's") func request() async throws {
    let site = try await TestSite()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["X-Session": "1", "X-Both": "session"]
    var request = URLRequest(url: site.url("/a%20b?c=d%2Fe#f"))
    request.httpMethod = "PATCH"
    request.setValue("request", forHTTPHeaderField: "X-Both")
    request.setValue("elsewhere", forHTTPHeaderField: "Host")
    request.setValue("chunked", forHTTPHeaderField: "Transfer-Encoding")
    let session = AuthenticatingSession(configuration: configuration, delegate: ScriptedDelegate.trusting(site.root))
    let (_, response) = try await session.upload(for: request, from: Data([1, 2, 3]))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    let seen = try #require(site.server.requests.first)
    #expect(seen.method == "PATCH")
    #expect(seen.path == "/a%20b?c=d%2Fe")
    #expect(seen.body == [1, 2, 3])
    #expect(seen["x-session"] == "1")
    #expect(seen["x-both"] == "request")
    #expect(seen["host"] == "localhost:\(site.server.port)")
    #expect(seen["transfer-encoding"] == nil)
  }

  @Test("What is no https URL, or no word of HTTP, is refused before a connection") func unsupported() async throws {
    let session = AuthenticatingSession()
    let refused: [(String, URLError.Code)] = [
      ("http://localhost/", .appTransportSecurityRequiresSecureConnection), ("ftp://localhost/", .unsupportedURL),
      ("file:///etc/passwd", .unsupportedURL), ("https:///path", .badURL), ("relative", .badURL),
    ]
    for (text, expected) in refused {
      let url = try #require(URL(string: text))
      #expect(await code(of: { _ = try await session.data(from: url) }) == expected, "\(text)")
    }
    var request = URLRequest(url: try #require(URL(string: "https://localhost:1/")))
    request.httpMethod = "GET / HTTP/1.1\r\nX: y"
    let invalid = await code(of: { [request] in _ = try await session.data(for: request) })
    #expect(invalid == .badURL)
  }

  @Test("A field with a line break is not sent") func injection() async throws {
    let site = try await TestSite()
    var request = URLRequest(url: site.url)
    request.setValue("a\r\nX-Injected: b", forHTTPHeaderField: "X-Field")
    request.timeoutInterval = 20
    let session = AuthenticatingSession(delegate: ScriptedDelegate.trusting(site.root))
    _ = await code(of: { [request] in _ = try await session.data(for: request) })
    #expect(site.server.requests.allSatisfy { $0["x-injected"] == nil })
  }

  @Test("A port where nobody listens is a connection that fails") func nobodyListens() async throws {
    let url = try #require(URL(string: "https://127.0.0.1:1/"))
    #expect(await code(of: { _ = try await AuthenticatingSession().data(from: url) }) == .cannotConnectToHost)
  }

  @Test("A redirection is followed, and its delegate may refuse or change it") func redirection() async throws {
    let site = try await TestSite { request in
      request.path == "/" ? .response(302, [("Location", "/next")]) : .response(200, [], Array(request.path.utf8))
    }
    let session = AuthenticatingSession(delegate: ScriptedDelegate.trusting(site.root))
    #expect(try await session.data(from: site.url).0 == Data("/next".utf8))
    let refusing = AuthenticatingSession(delegate: ScriptedDelegate.trusting(site.root, redirect: { _ in nil }))
    #expect(try await (refusing.data(from: site.url).1 as? HTTPURLResponse)?.statusCode == 302)
    let other = site.url("/other")
    let changing = AuthenticatingSession(
      delegate: ScriptedDelegate.trusting(site.root, redirect: { _ in URLRequest(url: other) }))
    #expect(try await changing.data(from: site.url).0 == Data("/other".utf8))
  }

  @Test("Redirections end after twenty") func redirectionWithoutEnd() async throws {
    let site = try await TestSite { _ in .response(307, [("Location", "/")]) }
    let session = AuthenticatingSession(delegate: ScriptedDelegate.trusting(site.root))
    #expect(await code(of: { _ = try await session.data(from: site.url) }) == .httpTooManyRedirects)
    #expect(site.server.requests.count == 21)
  }

  @Test("A redirection away from TLS is refused") func downgrade() async throws {
    let site = try await TestSite { _ in .response(302, [("Location", "http://localhost/")]) }
    let session = AuthenticatingSession(delegate: ScriptedDelegate.trusting(site.root))
    #expect(
      await code(of: { _ = try await session.data(from: site.url) }) == .appTransportSecurityRequiresSecureConnection)
  }

  @Test("The next host is judged, too, and does not get the password of the first") func otherOrigin() async throws {
    let target = try await TestSite()
    let place = "https://localhost:\(target.server.port)/"
    let site = try await TestSite { _ in .response(302, [("Location", place)]) }
    var request = URLRequest(url: site.url)
    request.setValue("Basic c2VjcmV0", forHTTPHeaderField: "Authorization")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["Cookie": "secret=1"]
    let pinned = AuthenticatingSession(configuration: configuration, delegate: ScriptedDelegate.trusting(site.root))
    let failure = await code(of: { [request] in _ = try await pinned.data(for: request) })
    #expect(failure == .cancelled)
    #expect(target.server.requests.isEmpty)
    let roots = [site.root, target.root]
    let both = ScriptedDelegate { challenge, handler in
      guard let trust = challenge.protectionSpace.serverTrust, roots.contains(where: { trust.isTrusted(below: $0) })
      else { return handler(.cancelAuthenticationChallenge, nil) }
      handler(.useCredential, URLCredential(trust: trust))
    }
    let session = AuthenticatingSession(configuration: configuration, delegate: both)
    _ = try await session.data(for: request)
    #expect(site.server.requests.last?["authorization"] == "Basic c2VjcmV0")
    #expect(site.server.requests.last?["cookie"] == "secret=1")
    let seen = try #require(target.server.requests.last)
    #expect(seen["authorization"] == nil)
    #expect(seen["cookie"] == nil)
  }

  @Test("A body as long as the limit is taken, a longer one is not") func longBody() async throws {
    let site = try await TestSite { .response(200, [], Array(repeating: 0, count: $0.path == "/" ? 1000 : 1001)) }
    let session = AuthenticatingSession(delegate: ScriptedDelegate.trusting(site.root), longestBody: 1000)
    #expect(try await session.data(from: site.url).0.count == 1000)
    #expect(await code(of: { _ = try await session.data(from: site.url("/more")) }) == .dataLengthExceedsMaximum)
  }

  @Test("A response that trickles ends at the limit of the resource") func drip() async throws {
    let site = try await TestSite { _ in .drip }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForResource = 1
    let session = AuthenticatingSession(
      configuration: configuration, delegate: ScriptedDelegate.trusting(site.root), longestBody: 2_000_000_000)
    #expect(await code(of: { _ = try await session.data(from: site.url) }) == .timedOut)
  }

  @Test("A server that says nothing ends at the limit of the request") func silence() async throws {
    let site = try await TestSite { _ in .silence }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 1
    let session = AuthenticatingSession(configuration: configuration, delegate: ScriptedDelegate.trusting(site.root))
    #expect(await code(of: { _ = try await session.data(from: site.url) }) == .timedOut)
    // It is not sent twice. On a busy machine the second may be over before it is sent at all.
    #expect(site.server.requests.count <= 1)
  }

  @Test("A server that hangs up is a lost connection") func hangUp() async throws {
    let site = try await TestSite { _ in .hangUp }
    let session = AuthenticatingSession(delegate: ScriptedDelegate.trusting(site.root))
    #expect(await code(of: { _ = try await session.data(from: site.url) }) == .networkConnectionLost)
  }

  @Test("A data task calls its handler once, on the session's queue") func dataTask() async throws {
    let site = try await TestSite()
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let session = AuthenticatingSession(delegate: ScriptedDelegate.trusting(site.root), delegateQueue: queue)
    let (stream, continuation) = AsyncStream<(Data?, Bool)>.makeStream()
    let task = session.dataTask(with: site.url) { data, _, _ in
      continuation.yield((data, OperationQueue.current === queue))
    }
    #expect(task.state == .suspended)
    task.resume()
    task.resume()
    var results = stream.makeAsyncIterator()
    let (data, isOnQueue) = try #require(await results.next())
    #expect(data == Data("hello".utf8))
    #expect(isOnQueue)
    #expect(task.state == .completed)
    #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(site.server.requests.count == 1)
  }

  @Test("A task that is cancelled ends, before or after its start") func cancellation() async throws {
    let site = try await TestSite { _ in .silence }
    let session = AuthenticatingSession(delegate: ScriptedDelegate.trusting(site.root))
    for starts in [false, true] {
      let (stream, continuation) = AsyncStream<URLError.Code?>.makeStream()
      let task = session.dataTask(with: site.url) { _, _, error in continuation.yield((error as? URLError)?.code) }
      if starts {
        task.resume()
        var arrivals = site.server.arrivals.makeAsyncIterator()
        _ = await arrivals.next()
      }
      task.cancel()
      task.cancel()
      var results = stream.makeAsyncIterator()
      #expect(await results.next() == .some(.cancelled))
      #expect(task.state == .completed)
    }
  }

  @Test("An invalid session ends its tasks, starts none, and lets its delegate go") func invalidation() async throws {
    let site = try await TestSite { _ in .silence }
    let delegate = ScriptedDelegate.trusting(site.root)
    let session = AuthenticatingSession(delegate: delegate)
    async let running = code(of: { _ = try await session.data(from: site.url) })
    var arrivals = site.server.arrivals.makeAsyncIterator()
    _ = await arrivals.next()
    session.invalidateAndCancel()
    #expect(await running == .cancelled)
    for await _ in delegate.invalidation.stream {}
    #expect(session.delegate == nil)
    #expect(await code(of: { _ = try await session.data(from: site.url) }) == .cancelled)
    #expect(site.server.requests.count == 1)
  }
}
