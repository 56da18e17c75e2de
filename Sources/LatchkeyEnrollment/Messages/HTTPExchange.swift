internal import AsyncHTTPClient
internal import Foundation
internal import LatchkeyProcessEnvironment
internal import LatchkeySealedMessages
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// An HTTP request to send.
struct OutgoingRequest: Sendable {
  var method: String
  var url: String
  var fields: [(name: String, value: String)] = []
  var body: [UInt8] = []
}

/// A received HTTP response.
struct IncomingAnswer: Sendable {
  var status: Int
  var fields: LatchkeySealedMessages.HTTPFields
  var body: [UInt8]

  /// The delay that the server requests, in seconds.
  ///
  /// - Parameter now: this device's clock, seconds since 1970.
  func retryAfter(now: Int64) -> Int? { fields.retryAfter(now: now).map { Int(clamping: $0) } }
}

/// The reason for a missing response.
enum ExchangeFailure: Error {
  /// Nothing was sent, and a repetition would fail the same way.
  case refused(EnrollmentError)
  /// Nothing was sent that the server could have carried out.
  case notSent(String)
  /// It was sent, fully or in part, and no complete response arrived.
  case noAnswer(String)
}

/// One HTTP client per TLS configuration: AsyncHTTPClient, without redirects and automatic retries.
final class HTTPExchange: Sendable {
  private let http: HTTPClient
  /// The server, for messages.
  private let server: ServerAddress
  /// The limit of a response, in bytes.
  private static let largestAnswer = 4 << 20

  init(_ tls: TLSConfiguration, to server: ServerAddress) {
    self.server = server
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow, decompression: .disabled)
    // Only the caller knows what may be repeated, and a handshake that failed fails again.
    configuration.connectionPool.retryConnectionEstablishment = false
    http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  deinit { http.shutdown { _ in } }

  /// Sends a request, and waits for the complete response: one limit covers the connection, the handshake, head and body.
  ///
  /// - Throws: ``ExchangeFailure``, `CancellationError`.
  func send(_ request: OutgoingRequest, within timeout: Duration) async throws -> IncomingAnswer {
    var outgoing = HTTPClientRequest(url: request.url)
    outgoing.method = HTTPMethod(rawValue: request.method)
    for field in request.fields { outgoing.headers.add(name: field.name, value: field.value) }
    outgoing.headers.add(name: "user-agent", value: "Latchkey/\(ProgramVersion.text)")
    let body = OutgoingBody(request.body)
    if !request.body.isEmpty { outgoing.body = .stream(body.chunks, length: .known(Int64(request.body.count))) }
    do {
      // Caps the timeout at a century, which does not overflow.
      let timeout = Int64(min(max(timeout, .zero), .seconds(3_155_760_000)) / .nanoseconds(1))
      let deadline = NIODeadline.now() + .nanoseconds(timeout)
      let answer = try await http.execute(outgoing, deadline: deadline)
      let content = try await Self.body(of: answer, by: deadline)
      return IncomingAnswer(
        status: Int(answer.status.code),
        fields: LatchkeySealedMessages.HTTPFields(answer.headers.map { ($0.name, $0.value) }),
        body: Array(content.readableBytesView))
    } catch {
      try Task.checkCancellation()
      throw Self.failure(error, of: server, mayBeSent: request.body.isEmpty || body.isAsked)
    }
  }

  /// Reads the body of a response. The deadline of `execute` ends with the head, and a body could trickle forever.
  private static func body(of answer: HTTPClientResponse, by deadline: NIODeadline) async throws -> ByteBuffer {
    try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
      group.addTask { try await answer.body.collect(upTo: largestAnswer) }
      group.addTask {
        try await Task.sleep(for: .nanoseconds((deadline - .now()).nanoseconds))
        throw HTTPClientError.deadlineExceeded
      }
      defer { group.cancelAll() }
      guard let body = try await group.next() else { throw HTTPClientError.deadlineExceeded }
      return body
    }
  }

  /// - Parameter mayBeSent: false if the server has no part of the request's body, and so nothing to carry out.
  static func failure(_ error: any Error, of server: ServerAddress, mayBeSent: Bool) -> ExchangeFailure {
    switch error {
    // This task was not canceled: a connection that broke ended its requests.
    case is CancellationError: return ExchangeFailure.noAnswer("the connection was given up")
    case let error as HTTPClientError where Self.beforeSending.contains(where: { $0 == error }):
      return ExchangeFailure.notSent("no connection to \(server) (\(error.shortDescription))")
    case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout:
      return mayBeSent
        ? ExchangeFailure.noAnswer("no answer from \(server) in time")
        : ExchangeFailure.notSent("no connection to \(server) in time")
    // NIOSSL reports the error of `KeychainPrivateKey`, for instance that the key was deleted: the handshake ended, and nothing was sent.
    case let error as EnrollmentError: return ExchangeFailure.refused(error)
    case is NIOSSLExtraError:
      return ExchangeFailure.refused(.untrustedServer("its certificate is not this host's"))
    case NIOSSLError.handshakeFailed(let reason): return handshakeFailure("\(reason)", server)
    case is NIOConnectionError, is SocketAddressError: return ExchangeFailure.notSent("no connection to \(server)")
    case is NIOTooManyBytesError: return ExchangeFailure.noAnswer("the answer of \(server) is too long")
    case let error as HTTPClientError: return ExchangeFailure.noAnswer("\(error.shortDescription), \(server)")
    default: return ExchangeFailure.noAnswer("the connection to \(server) broke")
    }
  }

  /// Nothing was sent in a failed handshake, whichever side ended it.
  private static func handshakeFailure(_ reason: String, _ server: ServerAddress) -> ExchangeFailure {
    if reason.contains("CERTIFICATE_VERIFY_FAILED") {
      return .refused(.untrustedServer("its certificate does not chain to a trusted root, or has expired"))
    }
    if reason.contains("ALERT") { return .refused(.unreachable("\(server) ended the handshake")) }
    return .notSent("the handshake with \(server) failed")
  }

  private static let beforeSending: [HTTPClientError] = [
    .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout, .httpProxyHandshakeTimeout,
    .socksHandshakeTimeout, .invalidURL, .emptyHost,
  ]
}

/// The body of a request, which is read once there is a connection for it.
private final class OutgoingBody: Sendable {
  private let state: Mutex<(bytes: [UInt8]?, isAsked: Bool)>

  init(_ bytes: [UInt8]) { state = Mutex((bytes, false)) }

  var isAsked: Bool { state.withLock { $0.isAsked } }

  var chunks: AsyncStream<ByteBuffer> {
    AsyncStream { [self] in
      state.withLock { state in
        state.isAsked = true
        defer { state.bytes = nil }
        return state.bytes.map { ByteBuffer(bytes: $0) }
      }
    }
  }
}
