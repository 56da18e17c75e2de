internal import AsyncHTTPClient
internal import Crypto
internal import Foundation
internal import LatchkeyProcessEnvironment
internal import LatchkeySealedMessages
internal import NIOCore
internal import NIOHTTP1
internal import Security

extension EnrollmentClient {
  /// Sends a request to any service, with this device's certificate and signature, and returns the head of the response as soon as it is
  /// there. One attempt: only the caller knows what may be repeated. No redirection is followed.
  ///
  /// A certificate that is due is renewed at the enrollment server first.
  ///
  /// - Throws: ``EnrollmentError``: `.misuse` for what is no request; `.notEnrolled`, `.identityExpired`; `.untrustedServer`, `.unreachable`;
  ///   `.cannotVerify` for a response that claims a signature of the enrollment server's key and has none, or if a signed response is
  ///   required. `CancellationError`.
  public func send(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await sendOnce(request).response
  }

  /// Sends a request as ``send(_:)`` does.
  ///
  /// - Parameter content: that of the first time, if it is sent again: a pipe can be read once.
  /// - Returns: the response, and the content that was sent.
  func sendOnce(
    _ request: ServiceRequest, _ content: OutgoingContent? = nil
  ) async throws -> (response: ServiceResponse, content: OutgoingContent) {
    let target = try RequestTarget(request.url)
    var message = HTTPRequestMessage(
      method: request.method, targetURI: target.uri,
      fields: LatchkeySealedMessages.HTTPFields(try request.checkedFields()))
    var identity: EnrolledIdentity?
    if request.isSigned || request.showsCertificate { identity = try await validIdentity() }
    let content = if let content { content } else { try await OutgoingContent(request.content) }
    let deadline = request.timeout.map { timeout in
      NIODeadline.now() + .nanoseconds(Int64(min(max(timeout, .zero), .seconds(3_155_760_000)) / .nanoseconds(1)))
    }
    if request.isSigned, let identity {
      message = try await signed(message, content, by: identity)
    } else if request.requiresSignedResponse {
      let nonce = try configuration.freshName()
      do throws(SealedMessageError) { try SealedProfile.ask(&message, nonce: nonce) } catch {
        throw EnrollmentError.misuse("the request cannot ask for a signed answer: \(error)")
      }
    }
    var outgoing = HTTPClientRequest(url: target.uri)
    outgoing.method = HTTPMethod(rawValue: request.method)
    for field in message.fields.lines { outgoing.headers.add(name: field.name, value: field.value) }
    if !outgoing.headers.contains(name: "user-agent") {
      outgoing.headers.add(name: "user-agent", value: "Latchkey/\(ProgramVersion.text)")
    }
    outgoing.body = content.body()
    request.onSend?(target.path, [("host", target.server.authority)] + outgoing.headers.map { ($0.name, $0.value) })
    let roots = request.trustRoots ?? (target.server == configuration.server ? configuration.trustRoots : nil)
    let client = try await services.client(
      showing: request.showsCertificate ? identity?.signer.credential : nil, trusting: roots)
    let answer: HTTPClientResponse
    do {
      answer = try await client.http.execute(outgoing, deadline: deadline ?? .distantFuture)
    } catch let error as EnrollmentError {
      throw error
    } catch {
      try Task.checkCancellation()
      throw HTTPExchange.failure(error, of: target.server, mayBeSent: true).ending
    }
    return (try await response(answer, to: message, request, target.server, deadline), content)
  }

  private func signed(
    _ message: HTTPRequestMessage, _ content: OutgoingContent, by identity: EnrolledIdentity
  ) async throws -> HTTPRequestMessage {
    guard let key = identity.signer.credential.identity?.key else { throw EnrollmentError.notEnrolled }
    let (nonce, now, device) = (try configuration.freshName(), configuration.now, identity.device)
    return try await blocking { () throws(EnrollmentError) in
      var signed = message
      do {
        try SealedProfile.sign(
          &signed, contentDigest: content.digest().map(ContentDigest.value(sha256:)), keyID: device, nonce: nonce,
          now: now
        ) { try key.signature(of: $0, by: .ecdsaSignatureMessageX962SHA256) }
      } catch let error as EnrollmentError {
        throw error
      } catch {
        throw .misuse("the request cannot be signed: \(error)")
      }
      return signed
    }
  }

  private func response(
    _ answer: HTTPClientResponse, to message: HTTPRequestMessage, _ request: ServiceRequest, _ server: ServerAddress,
    _ deadline: NIODeadline?
  ) async throws -> ServiceResponse {
    let fields = answer.headers.map { (name: $0.name, value: $0.value) }
    let head = HTTPResponseMessage(
      status: Int(answer.status.code), fields: LatchkeySealedMessages.HTTPFields(fields))
    let isVerified = try await verifies(head, to: message, request, server)
    // The answer to HEAD has the fields of a content that does not come (RFC 9110 9.3.2).
    let hasContent = request.method != "HEAD"
    return ServiceResponse(
      status: Int(answer.status.code), version: answer.version == .http2 ? "HTTP/2" : "\(answer.version)",
      fields: fields,
      isVerified: isVerified,
      body: ServiceResponse.Body(
        source: answer.body, server: server,
        digest: isVerified && hasContent ? head.fields["content-digest"] ?? "" : nil, deadline: deadline))
  }

  /// Whether the enrollment server's key signed the response. One that says so must be.
  private func verifies(
    _ head: HTTPResponseMessage, to message: HTTPRequestMessage, _ request: ServiceRequest, _ server: ServerAddress
  ) async throws -> Bool {
    guard let record = try await record(), let key = record.serverKey.map(Array.init), let id = record.serverKeyID
    else {
      guard !request.requiresSignedResponse else { throw EnrollmentError.notEnrolled }
      return false
    }
    let isOfServer = server == configuration.server
    let claims = head.fields["signature-input"].map { isOfServer || $0.contains("keyid=\"\(id)\"") } ?? false
    guard claims || request.requiresSignedResponse else { return false }
    do throws(SealedMessageError) {
      let pinned: (String) throws(SealedMessageError) -> [UInt8]? = { $0 == id ? key : nil }
      _ = try SealedProfile.verifyHead(head, to: message, now: configuration.now, publicKey: pinned)
      return true
    } catch {
      if case .outsideWindow(let seconds) = error {
        throw EnrollmentError.cannotVerify("the answer's time and this device's clock are \(seconds) s too far apart")
      }
      throw EnrollmentError.cannotVerify("the answer is not signed by the enrollment server's key for this request")
    }
  }
}

/// The content to send.
struct OutgoingContent: Sendable {
  /// A body with this content, to be sent once.
  let body: @Sendable () -> HTTPClientRequest.Body?
  /// The SHA-256 of the content; nil if it is empty.
  let digest: @Sendable () throws(EnrollmentError) -> [UInt8]?

  init(_ content: ServiceRequest.Content) async throws(EnrollmentError) {
    switch content {
    case .none:
      body = { nil }
      digest = { () throws(EnrollmentError) in nil }
    case .bytes(let bytes):
      body = { .bytes(ByteBuffer(bytes: bytes)) }
      digest = { () throws(EnrollmentError) in bytes.isEmpty ? nil : Array(SHA256.hash(data: bytes)) }
    case .file(let path):
      let file = try await blocking { () throws(EnrollmentError) in try RequestFile(path) }
      body = { .stream(file.chunks, length: .known(file.length)) }
      digest = { () throws(EnrollmentError) in file.length == 0 ? nil : try file.digest() }
    }
  }
}

extension ExchangeFailure {
  /// The error of a request that is sent once.
  fileprivate var ending: EnrollmentError {
    switch self {
    case .refused(let error): error
    case .notSent(let detail): .unreachable(detail)
    case .noAnswer(let detail): .unreachable("\(detail); the request may have been carried out")
    }
  }
}
