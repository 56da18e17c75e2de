import LatchkeyServerTestSupport
import LatchkeyTestSupport
import AsyncHTTPClient
import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing

/// A server's answer.
struct TestAnswer: Sendable {
  let status: Int
  let headers: [(name: String, value: String)]
  let body: [UInt8]
  let isHTTP2: Bool

  /// The first field of a name in lower case.
  func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }

  var text: String { String(decoding: body, as: UTF8.self) }

  func decoded<T: Decodable>(_ type: T.Type = T.self) throws -> T {
    try JSONDecoder().decode(type, from: Data(body))
  }

  /// The problem's code; nil if it is none.
  var code: Problem.Code? { try? decoded(Problem.self).code }
}

extension RunningServer {
  /// TLS of a client that believes the server's authority, with a device's certificate or none.
  func clientTLS(_ device: TestDevice? = nil) throws -> TLSConfiguration {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: root, format: .der)])
    try device.map { try tls.show($0) }
    return tls
  }

  /// Runs `body` with a client's connections.
  func withClient<T>(
    _ device: TestDevice? = nil, http2: Bool = false, _ body: (TestClient) async throws -> T
  ) async throws -> T {
    try await TestClient.with(clientTLS(device), url: url, http2: http2, body)
  }
}

extension ServedProgram {
  /// Runs `body` with a client's connections, which believe the authority that the program names.
  func withClient<T>(
    _ device: TestDevice? = nil, http2: Bool = false, _ body: (TestClient) async throws -> T
  ) async throws -> T {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .file(listening.ca)
    try device.map { try tls.show($0) }
    return try await TestClient.with(tls, url: "https://localhost:\(port)", http2: http2, body)
  }
}

extension TLSConfiguration {
  /// Shows a device's certificate.
  mutating func show(_ device: TestDevice) throws {
    certificateChain = [.certificate(try NIOSSLCertificate(bytes: device.certificate, format: .der))]
    privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(device.key.derRepresentation), format: .der))
  }
}

/// A client of a running server.
struct TestClient: Sendable {
  let client: HTTPClient
  let url: String

  /// - Parameter loopback: a name that is called on this machine.
  static func with<T>(
    _ tls: TLSConfiguration, url: String, http2: Bool, loopback: String? = nil, _ body: (TestClient) async throws -> T
  ) async throws -> T {
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    if let loopback { configuration.dnsOverride = [loopback: "127.0.0.1"] }
    configuration.httpVersion = http2 ? .automatic : .http1Only
    // On a busy machine a connection may take long; one that is refused is not tried again until then.
    configuration.timeout.connect = .minutes(10)
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    do {
      let result = try await body(TestClient(client: client, url: url))
      try await client.shutdown()
      return result
    } catch {
      try? await client.shutdown()
      throw error
    }
  }

  func request(
    _ method: String, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
  ) async throws -> TestAnswer {
    var request = HTTPClientRequest(url: url + path)
    request.method = HTTPMethod(rawValue: method)
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if let body { request.body = .bytes(body) }
    let response = try await client.execute(request, timeout: .minutes(10))
    let bytes = try await response.body.collect(upTo: 4 << 20)
    return TestAnswer(
      status: Int(response.status.code), headers: response.headers.map { ($0.name, $0.value) },
      body: Array(buffer: bytes),
      isHTTP2: response.version.major == 2)
  }

  /// POSTs a value as JSON.
  func post(
    _ path: String, _ value: some Encodable, headers: [(String, String)] = []
  ) async throws -> TestAnswer {
    try await request(
      "POST", path, headers: headers + [("content-type", "application/json")],
      body: Array(try JSONEncoder().encode(value)))
  }
}

extension TestClient {
  /// The server answers.
  func expectLive() async throws {
    let answer = try await request("GET", Routes.live)
    #expect(answer.status == 200)
  }

  /// Begins a POST whose body does not end before `end` is open; without one, never.
  ///
  /// - Parameter bytes: how many of it come.
  func endlessPost(_ path: String, bytes: Int = 1, until end: Gate? = nil) async throws -> TestAnswer {
    var request = HTTPClientRequest(url: url + path)
    request.method = .POST
    request.headers.add(name: "content-type", value: "application/json")
    let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    continuation.yield(ByteBuffer(string: String(repeating: "{", count: bytes)))
    if let end {
      Task {
        await end.pass()
        continuation.finish()
      }
    }
    request.body = .stream(stream, length: .unknown)
    let response = try await client.execute(request, timeout: .seconds(120))
    return TestAnswer(status: Int(response.status.code), headers: [], body: [], isHTTP2: true)
  }
}
