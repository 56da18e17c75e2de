internal import CertificateAuthority
internal import EnrollmentProtocol
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
  var contentType: String
  var fields: [(name: String, value: String)] = []
  var body: [UInt8]

  /// An answer in JSON.
  init(_ value: some Encodable & Sendable, status: Int = 200) throws {
    self.init(json: try JSONBytes.encode(value), status: status)
  }

  /// An answer whose JSON is there already; a problem's from 400 on.
  init(json body: [UInt8], status: Int) {
    self.status = status
    self.body = body
    contentType = status < 400 ? "application/json" : "application/problem+json"
  }
}

/// Serves a route over a client certificate, and signs whatever it answers, refusals too, bound to the request: answers cannot
/// be swapped, held back for another request, or made by somebody in between (RFC 9421 2.4).
struct SealedRoute: Sendable {
  let services: Services

  init(_ services: Services) { self.services = services }

  /// Answers `request` with what `body` gives.
  func answer(
    _ request: Request, _ context: ServerContext,
    _ body: @Sendable (SealedRequest) async throws -> SealedAnswer
  ) async throws -> Response {
    let device = try context.requireDevice()
    let bytes = try await request.body.collect(upTo: services.limits.bodySize)
    let sealed = SealedRequest(
      device: device, message: HTTPRequestMessage(request), path: request.uri.path, body: Array(buffer: bytes))
    var answer: SealedAnswer
    do {
      answer = try await body(sealed)
    } catch var problem as Problem {
      problem.instance = context.requestID
      answer = try SealedAnswer(problem, status: problem.status)
      if problem.code == .unavailable || problem.code == .inProgress { answer.fields.append(("retry-after", "1")) }
    }
    return try sign(answer, to: sealed.message)
  }

  private func sign(_ answer: SealedAnswer, to request: HTTPRequestMessage) throws -> Response {
    var message = HTTPResponseMessage(
      status: answer.status, fields: SealedMessages.HTTPFields([("content-type", answer.contentType)] + answer.fields))
    try SealedProfile.sign(
      &message, body: answer.body, to: request, keyID: services.answerKeyID, now: services.now,
      by: services.configuration.answerKey.sign)
    var fields = HTTPTypes.HTTPFields()
    for line in message.fields.lines {
      guard let name = HTTPField.Name(line.name) else { continue }
      fields.append(HTTPField(name: name, value: line.value))
    }
    fields[.cacheControl] = "no-store"
    return Response(
      status: HTTPResponse.Status(code: answer.status), headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
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
