internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeySealedMessages
internal import NIOCore

/// A request on a route with signed responses: the caller and the content.
struct SealedRequest: Sendable {
  let device: AuthenticatedDevice
  /// Everything that a signature can cover; nil for a request that is neither signed nor requests a signed response.
  let message: HTTPRequestMessage?
  let body: [UInt8]
  fileprivate let request: Request

  var path: String { request.uri.path }
  var contentType: String? { request.headers[.contentType] }

  /// The parameters of the query.
  func query(_ isKnown: (Substring) -> Bool) throws(Problem) -> [String: String] {
    try QueryValues.read(request, isKnown: isKnown)
  }
}

/// A response before it is signed.
struct SealedAnswer: Sendable {
  var status: Int
  /// Nil without content.
  var contentType: String?
  var fields: [(name: String, value: String)] = []
  var body: [UInt8]

  /// Success without content (RFC 9110 15.3.5), and without fields that describe any.
  static let noContent = SealedAnswer(status: 204, contentType: nil, body: [])

  private init(status: Int, contentType: String?, body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// A refusal, with the time to retry.
  fileprivate init(refusing problem: Problem, _ error: any Error, requestID: String) throws {
    var problem = problem
    problem.instance = requestID
    try self.init(problem, status: problem.status)
    let seconds = (error as? TryLater)?.seconds
    switch problem.code {
    case .tooManyRequests, .unavailable, .inProgress: fields.append(("retry-after", "\(seconds ?? 1)"))
    default: break
    }
  }

  /// The fields that a signature covers.
  fileprivate var allFields: [(name: String, value: String)] {
    (contentType.map { [("content-type", $0)] } ?? []) + fields
  }

  /// A JSON response.
  init(_ value: some Encodable & Sendable, status: Int = 200) throws {
    self.init(json: try JSONBytes.encode(value), status: status)
  }

  /// A response with encoded JSON; a problem's from status 400 on.
  init(json body: [UInt8], status: Int) {
    self.init(
      status: status, contentType: status < 400 ? "application/json" : "application/problem+json", body: body)
  }
}

/// Serves a route over a client certificate. The response to a request that is signed, or that requests it (RFC 9421 5), is
/// signed, including refusals, and bound to that request: such responses cannot be swapped, reused for another request, or
/// forged by an intermediary (RFC 9421 2.4). Clients that cannot verify signatures, such as `curl`, get unsigned responses.
struct SealedRoute: Sendable {
  let services: Services

  init(_ services: Services) { self.services = services }

  /// Answers `request` with the result of `body`.
  ///
  /// - Parameters:
  ///   - checksToken: whether a session's token, which is optional beside the certificate, must be valid if one is sent.
  ///   - takesSuperseded: whether to accept a certificate that ended because its device changed its key.
  func answer(
    _ request: Request, _ context: ServerContext, checksToken: Bool = false, takesSuperseded: Bool = false,
    _ body: @Sendable (SealedRequest) async throws -> SealedAnswer
  ) async throws -> Response {
    let device = try await device(context, takesSuperseded: takesSuperseded)
    let message = Self.message(request)
    let bytes = try await request.body.collect(upTo: services.limits.bodySize)
    let sealed = SealedRequest(device: device, message: message, body: Array(buffer: bytes), request: request)
    var answer: SealedAnswer
    do {
      if checksToken { try await checkToken(of: request, device) }
      answer = try await body(sealed)
    } catch let error as CancellationError {
      throw error
    } catch {
      let problem = ProblemAnswer.problem(error, context, services.trouble)
      services.metrics.refused(problem.code)
      answer = try SealedAnswer(refusing: problem, error, requestID: context.requestID)
    }
    var fields = answer.allFields
    if let message { fields = try signed(answer, fields, to: message) ?? fields }
    return answer.response(fields)
  }

  /// The same for a caller who has no certificate that counts, and proves by the content who it is.
  func answerAnyone(
    _ request: Request, _ context: ServerContext,
    _ body: @Sendable (_ content: [UInt8], _ type: String?) async throws -> SealedAnswer
  ) async throws -> Response {
    let message = Self.message(request)
    let bytes = Array(buffer: try await request.body.collect(upTo: services.limits.bodySize))
    var answer: SealedAnswer
    do {
      answer = try await body(bytes, request.headers[.contentType])
    } catch let error as CancellationError {
      throw error
    } catch {
      answer = try SealedAnswer(
        refusing: ProblemAnswer.problem(error, context, services.trouble), error, requestID: context.requestID)
    }
    var fields = answer.allFields
    if let message { fields = try signed(answer, fields, to: message) ?? fields }
    return answer.response(fields)
  }

  /// Signs a refusal made before a route runs, such as for too many requests or too large a body, if the request came with a
  /// certificate and requests a signed response. The same goes for the end of a device: its client deletes keys because of it,
  /// and accepts it from the server only. Fields that are added later are not covered, and need not be trusted.
  func sealed(
    _ problem: Problem, _ error: any Error, of request: Request, _ context: ServerContext
  ) -> Response? {
    guard context.connection?.fingerprint != nil, let message = Self.message(request),
      let answer = try? SealedAnswer(refusing: problem, error, requestID: context.requestID),
      let fields = (try? signed(answer, answer.allFields, to: message)) ?? nil
    else { return nil }
    return answer.response(fields)
  }

  private func device(_ context: ServerContext, takesSuperseded: Bool) async throws -> AuthenticatedDevice {
    if takesSuperseded, context.refusal?.code == .revoked, let fingerprint = context.connection?.fingerprint {
      let known = try await services.store.read { KnownCertificate(try $0.certificate(fingerprint: fingerprint)) }
      if let device = known.superseded(at: services.now) { return device }
    }
    return try context.requireDevice()
  }

  /// The request in the form that a signature covers, if a signed response is requested. A malformed request for one is
  /// ignored, as RFC 9421 5.2 permits: the client then does not accept the response.
  private static func message(_ request: Request) -> HTTPRequestMessage? {
    guard signing.contains(where: request.headers.contains) else { return nil }
    let message = HTTPRequestMessage(request)
    guard let wants = try? SealedProfile.wantsSignedAnswer(message), wants else { return nil }
    return message
  }

  private static let signing = ["signature", "signature-input", "accept-signature"].compactMap { HTTPField.Name($0) }

  /// A token that is sent must be valid: an expired one, or another device's, is refused and not ignored.
  private func checkToken(of request: Request, _ device: AuthenticatedDevice) async throws {
    guard request.headers[.authorization] != nil else { return }
    let (token, now) = (try BearerToken(request), services.now)
    let session = try await services.store.read { try token.session(of: device.id, in: $0, now: now) }
    guard session.device == device.id, session.user == device.user else {
      throw Problem(.notAuthenticated, detail: "the session is not this device's: log in over its certificate")
    }
  }

  /// The fields of an answer, with its signature. Nil for a request that no signature can be bound to, since what it would cover of the
  /// request is not ASCII, or too long: such a request is not answered by a signature, as one that asks for it in a malformed way.
  private func signed(
    _ answer: SealedAnswer, _ fields: [(name: String, value: String)], to request: HTTPRequestMessage
  ) throws -> [(name: String, value: String)]? {
    var message = HTTPResponseMessage(status: answer.status, fields: LatchkeySealedMessages.HTTPFields(fields))
    do {
      try SealedProfile.sign(
        &message, body: answer.body, to: request, keyID: services.answerKeyID, now: services.now,
        by: services.configuration.answerKey.sign)
    } catch SealedMessageError.malformed {
      return nil
    }
    return message.fields.lines.map { ($0.name, $0.value) }
  }
}

extension SealedAnswer {
  fileprivate func response(_ lines: [(name: String, value: String)]) -> Response {
    var fields = HTTPTypes.HTTPFields()
    for line in lines {
      guard let name = HTTPField.Name(line.name) else { continue }
      fields.append(HTTPField(name: name, value: line.value))
    }
    fields.append(HTTPField(name: .cacheControl, value: "no-store"))
    var response = Response(
      status: HTTPResponse.Status(code: status), headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    // RFC 9110 8.6: a 204 has no length, not even 0.
    if status == 204 { response.headers[.contentLength] = nil }
    return response
  }
}

extension HTTPRequestMessage {
  /// The request as on the wire. The scheme is always `https`.
  init(_ request: Request) {
    let authority = request.head.authority ?? ""
    self.init(
      method: request.method.rawValue, targetURI: "https://\(authority)\(request.head.path ?? "/")",
      fields: LatchkeySealedMessages.HTTPFields(request.headers.map { ($0.name.canonicalName, $0.value) }))
  }
}
