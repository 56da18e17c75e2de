internal import Foundation
internal import HTTPTypes
internal import Hummingbird
package import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import Logging
internal import NIOCore

/// Maps errors to responses: `application/problem+json` (RFC 9457), which reveals no more than the client may know.
enum ProblemAnswer {
  static let mediaType = "application/problem+json"

  /// The response for a problem, with the request's ID.
  static func response(_ problem: Problem, requestID: String) -> Response {
    let (fields, body) = content(of: problem, requestID: requestID)
    return Response(
      status: HTTPResponse.Status(code: problem.status), headers: fields, body: ResponseBody(byteBuffer: body))
  }

  /// Fields and body of a problem's response; input that is no request has no ID.
  static func content(of problem: Problem, requestID: String?) -> (fields: HTTPFields, body: ByteBuffer) {
    var problem = problem
    problem.instance = requestID
    // A Problem consists of strings and numbers, so encoding cannot fail.
    let body = (try? JSONBytes.encode(problem)) ?? Array("{}".utf8)
    var fields = HTTPFields()
    fields[.contentType] = mediaType
    return (completed(fields, status: problem.status), ByteBuffer(bytes: body))
  }

  /// Adds the fields that HTTP requires with some statuses: RFC 9110 11.6.1 and 10.2.3.
  static func completed(_ fields: HTTPFields, status: Int) -> HTTPFields {
    var fields = fields
    if status == 401, fields[.wwwAuthenticate] == nil { fields[.wwwAuthenticate] = "Bearer realm=\"latchkey\"" }
    if status == 429 || status == 503, fields[.retryAfter] == nil { fields[.retryAfter] = "1" }
    if !fields.contains(.cacheControl) { fields.append(HTTPField(name: .cacheControl, value: "no-store")) }
    return fields
  }

  /// The problem that clients see for an error; nil for a server error.
  static func problem(of error: any Error) -> Problem? {
    switch error {
    case let problem as Problem: problem
    case let later as TryLater: Problem(later.code, detail: later.detail)
    case let error as HTTPError: problem(ofStatus: error.status.code)
    case is NIOTooManyBytesError: Problem(.tooLarge, detail: "send a smaller body")
    case let error as EnrollmentStoreError:
      switch error {
      case .unavailable, .contention, .closed: Problem(.unavailable, detail: "try again later")
      case .damaged, .unsupportedVersion, .olderThanRevocations, .misuse: nil
      }
    default: nil
    }
  }

  /// The problem that clients see for an error; a server error is logged.
  static func problem(_ error: any Error, _ context: ServerContext, _ trouble: Trouble) -> Problem {
    trouble.note(error, of: context.requestID)
    return problem(of: error) ?? Problem(.internalError)
  }

  private static func problem(ofStatus status: Int) -> Problem? {
    switch status {
    case 404: Problem(.notFound, detail: "the OpenAPI document lists what there is: \(Routes.openAPI)")
    case 405: Problem(.methodNotAllowed)
    case 413: Problem(.tooLarge, detail: "send a smaller body")
    case 415: Problem(.unsupportedMediaType)
    case 401: Problem(.notAuthenticated)
    case 403: Problem(.notPermitted)
    case 400..<500: Problem(.malformedRequest)
    default: nil
    }
  }
}

/// A refusal with the time to retry.
package struct TryLater: Error, Sendable {
  /// `.tooManyRequests`, `.unavailable` or `.inProgress`.
  package var code: Problem.Code
  /// The delay in seconds, at least 1.
  package var seconds: Int
  package var detail: String?

  package init(_ code: Problem.Code, seconds: Int, detail: String? = nil) {
    self.code = code
    self.seconds = max(1, seconds)
    self.detail = detail
  }
}
