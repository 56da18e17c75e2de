internal import CertificateAuthority
internal import EnrollmentProtocol
internal import EnrollmentStore
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import SealedMessages

/// A request on a route whose answers are signed: who asks, and all that a signature can cover.
struct SealedRequest: Sendable {
  let device: AuthenticatedDevice
  let message: HTTPRequestMessage
  let path: String
  let body: [UInt8]
}

/// An answer before it is signed.
struct SealedAnswer: Sendable {
  var status: Int
  /// Nil where there is no content.
  var contentType: String?
  var fields: [(name: String, value: String)] = []
  var body: [UInt8]

  /// That it is done, and nothing more (RFC 9110 15.3.5): no content, nor any field about one.
  static let noContent = SealedAnswer(status: 204, contentType: nil, body: [])

  private init(status: Int, contentType: String?, body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// An answer in JSON.
  init(_ value: some Encodable & Sendable, status: Int = 200) throws {
    self.init(json: try JSONBytes.encode(value), status: status)
  }

  /// An answer whose JSON is there already; a problem's from 400 on.
  init(json body: [UInt8], status: Int) {
    self.init(
      status: status, contentType: status < 400 ? "application/json" : "application/problem+json", body: body)
  }
}

/// Serves a route over a client certificate, and signs whatever it answers, refusals too, bound to the request: answers cannot
/// be swapped, held back for another request, or made by somebody in between (RFC 9421 2.4).
struct SealedRoute: Sendable {
  let services: Services

  init(_ services: Services) { self.services = services }

  /// Answers `request` with what `body` gives.
  ///
  /// - Parameter checksToken: whether a session's token, which is not needed beside the certificate, must count if one is sent.
  func answer(
    _ request: Request, _ context: ServerContext, checksToken: Bool = false,
    _ body: @Sendable (SealedRequest) async throws -> SealedAnswer
  ) async throws -> Response {
    let device = try context.requireDevice()
    let bytes = try await request.body.collect(upTo: services.limits.bodySize)
    let sealed = SealedRequest(
      device: device, message: HTTPRequestMessage(request), path: request.uri.path, body: Array(buffer: bytes))
    var answer: SealedAnswer
    do {
      if checksToken { try await checkToken(of: request, device) }
      answer = try await body(sealed)
    } catch var problem as Problem {
      problem.instance = context.requestID
      answer = try SealedAnswer(problem, status: problem.status)
      if problem.code == .unavailable || problem.code == .inProgress { answer.fields.append(("retry-after", "1")) }
    }
    return try sign(answer, to: sealed.message)
  }

  /// Whoever sends a token means the session that it stands for: one that has ended, or is another device's, is not passed over.
  private func checkToken(of request: Request, _ device: AuthenticatedDevice) async throws {
    guard request.headers[.authorization] != nil else { return }
    let (token, now) = (try BearerToken(request), services.now)
    let session = try await services.store.read { try token.session(of: device.id, in: $0, now: now) }
    guard session.device == device.id, session.user == device.user else {
      throw Problem(.notAuthenticated, detail: "the session is not this device's: log in over its certificate")
    }
  }

  private func sign(_ answer: SealedAnswer, to request: HTTPRequestMessage) throws -> Response {
    var message = HTTPResponseMessage(
      status: answer.status,
      fields: SealedMessages.HTTPFields((answer.contentType.map { [("content-type", $0)] } ?? []) + answer.fields))
    try SealedProfile.sign(
      &message, body: answer.body, to: request, keyID: services.answerKeyID, now: services.now,
      by: services.configuration.answerKey.sign)
    var fields = HTTPTypes.HTTPFields()
    for line in message.fields.lines {
      guard let name = HTTPField.Name(line.name) else { continue }
      fields.append(HTTPField(name: name, value: line.value))
    }
    fields[.cacheControl] = "no-store"
    var response = Response(
      status: HTTPResponse.Status(code: answer.status), headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    // RFC 9110 8.6: a 204 has no length, not even 0.
    if answer.status == 204 { response.headers[.contentLength] = nil }
    return response
  }
}

extension HTTPRequestMessage {
  /// What the request was on the wire. The scheme is `https`: there is no other port.
  init(_ request: Request) {
    let authority = request.head.authority ?? ""
    self.init(
      method: request.method.rawValue, targetURI: "https://\(authority)\(request.head.path ?? "/")",
      fields: SealedMessages.HTTPFields(request.headers.map { ($0.name.canonicalName, $0.value) }))
  }
}
