import AsyncHTTPClient
import Foundation
import LatchkeyEnrollment
import NIOSSL
import Synchronization

/// What a connection tells its delegate: `NSURLConnectionDelegate`, as far as the listings have it.
protocol URLConnectionDelegate: AnyObject, Sendable {
  var statusCode: Int { get set }
  var responseData: Data { get set }
  func connectionDidFinishLoading(_ connection: URLConnection)
  func connection(_ connection: URLConnection, didFailWithError error: any Error)
}

/// A request, and the seconds within which its answer has to be there: `NSMutableURLRequest`.
struct URLRequest: Sendable {
  var content: HTTPClientRequest
  var payload = Data()
  var timeoutInterval: Double
}

/// A request under way: `NSURLConnection`. Where the credential storage has an identity for the server, it is shown.
final class URLConnection: Sendable {
  init(app: App, request: URLRequest, delegate: some URLConnectionDelegate) {
    app.run { [self] in
      let body = RequestBody(request.payload)
      do {
        let root = try NIOSSLCertificate(bytes: app.root, format: .der)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([root])
        // connection:willSendRequestForAuthenticationChallenge:, for NSURLAuthenticationMethodClientCertificate.
        if let identity = try app.sharedCredentialStorage.defaultCredential(for: app.certSpace)?.identity {
          tls = try TLSConfiguration(identity: identity, certificates: [], trustRoots: .certificates([root]))
        }
        var content = request.content
        if !request.payload.isEmpty { content.body = .stream(body.bytes, length: .known(Int64(request.payload.count))) }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        // Where nobody listens, nobody will listen: NSURLConnection says so at once, too.
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        // Not waited for: it would wait for what the server has not ended.
        defer { client.shutdown { _ in } }
        (delegate.statusCode, delegate.responseData) = try await Self.answer(
          to: content, by: client, within: request.timeoutInterval)
        app.lastFailure = RequestFailure(status: delegate.statusCode, answer: delegate.responseData)
        delegate.connectionDidFinishLoading(self)
      } catch {
        app.lastFailure = RequestFailure(error, isSent: body.isAsked)
        delegate.connection(self, didFailWithError: error)
      }
    }
  }

  /// The whole answer: one limit for the connection, the handshake, head and body.
  private static func answer(
    to request: HTTPClientRequest, by client: HTTPClient, within seconds: Double
  ) async throws -> (Int, Data) {
    try await withThrowingTaskGroup(of: (Int, Data).self) { group in
      group.addTask {
        let response = try await client.execute(request, deadline: .distantFuture)
        return (
          Int(response.status.code), Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
        )
      }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        throw HTTPClientError.deadlineExceeded
      }
      defer { group.cancelAll() }
      guard let answer = try await group.next() else { throw HTTPClientError.deadlineExceeded }
      return answer
    }
  }
}

/// A request's payload, which is asked for once there is a connection to send it over: until then the server has nothing.
private final class RequestBody: Sendable {
  private let state: Mutex<(payload: Data, next: Int, isAsked: Bool)>

  init(_ payload: Data) { state = Mutex((payload, 0, false)) }

  var isAsked: Bool { state.withLock { $0.isAsked } }

  var bytes: AsyncStream<UInt8> {
    AsyncStream { [self] in
      state.withLock { state in
        state.isAsked = true
        guard state.next < state.payload.count else { return nil }
        defer { state.next += 1 }
        return state.payload[state.next]
      }
    }
  }
}

/// Where the document's `buildRequestWithURL:httpMethod:payload:timeout:signingOption:` puts the token. It signs nothing.
enum NJRequestSigningOption {
  case none, querystring, payload, header
}

extension App {
  /// `buildRequestWithURL:httpMethod:payload:timeout:signingOption:`.
  func buildRequest(
    url: String, httpMethod: String, payload: [String: String]?, timeout: Double, signingOption: NJRequestSigningOption
  ) throws -> URLRequest {
    var request = HTTPClientRequest(url: url)
    request.method = .init(rawValue: httpMethod)
    request.headers.add(name: "Accept", value: "application/json")
    var payload = payload
    switch signingOption {
    case .none, .querystring: break
    case .payload: payload?["token"] = model.token
    case .header: request.headers.add(name: "auth-token", value: model.token ?? "")
    }
    var body = Data()
    if let payload {
      // What NSURLConnection sends where the program names no type.
      request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
      body = try JSONSerialization.data(withJSONObject: payload)
    }
    return URLRequest(content: request, payload: body, timeoutInterval: timeout)
  }
}
