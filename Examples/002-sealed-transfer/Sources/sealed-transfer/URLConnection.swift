import AsyncHTTPClient
import Enrollment
import Foundation
import NIOSSL

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
  var timeoutInterval: Double
}

/// A request under way: `NSURLConnection`. Where the credential storage has an identity for the server, it is shown.
final class URLConnection: Sendable {
  init(app: App, request: URLRequest, delegate: some URLConnectionDelegate) {
    app.run { [self] in
      do {
        let root = try NIOSSLCertificate(bytes: app.root, format: .der)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([root])
        // connection:willSendRequestForAuthenticationChallenge:, for NSURLAuthenticationMethodClientCertificate.
        if let identity = try app.sharedCredentialStorage.defaultCredential(for: app.certSpace)?.identity {
          tls = try TLSConfiguration(identity: identity, certificates: [], trustRoots: .certificates([root]))
        }
        let timeout = Int64(request.timeoutInterval * 1000)
        // For connecting, too: a client that is shut down waits for what it has begun.
        var configuration = HTTPClient.Configuration(
          tlsConfiguration: tls, timeout: .init(connect: .milliseconds(timeout)))
        // Where nobody listens, nobody will listen: NSURLConnection says so at once, too.
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
          let response = try await client.execute(request.content, timeout: .milliseconds(timeout))
          delegate.statusCode = Int(response.status.code)
          delegate.responseData = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
          try await client.shutdown()
        } catch {
          try? await client.shutdown()
          throw error
        }
        app.lastFailure = RequestFailure(status: delegate.statusCode, answer: delegate.responseData)
        delegate.connectionDidFinishLoading(self)
      } catch {
        app.lastFailure = RequestFailure(error)
        delegate.connection(self, didFailWithError: error)
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
    if let payload {
      // What NSURLConnection sends where the program names no type.
      request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
      request.body = .bytes(try JSONSerialization.data(withJSONObject: payload))
    }
    return URLRequest(content: request, timeoutInterval: timeout)
  }
}
