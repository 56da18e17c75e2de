internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LatchkeyByteCoding
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol

/// The status of single certificates: OCSP over HTTP (RFC 6960 A.1, RFC 5019 5), without authentication.
struct StatusRoutes: RouteGroup {
  private let services: Services

  static let requestType = "application/ocsp-request"
  static let responseType = "application/ocsp-response"

  init(_ services: Services) { self.services = services }

  func add(to router: Router<ServerContext>) {
    router.post(RouterPath(Routes.status)) { [self] request, _ in
      guard request.headers[.contentType]?.lowercased() == Self.requestType else {
        throw Problem(.unsupportedMediaType, detail: "send the request as \(Self.requestType)")
      }
      return try await answer(try await request.bytes(within: services.limits), request, isGet: false)
    }
    router.get(RouterPath(Routes.status + "/**")) { [self] request, _ in
      // Base64 has slashes, which some clients do not escape, and the router's components would lose.
      let text = request.uri.path.dropFirst(Routes.status.utf8.count + 1)
      let der = text.removingPercentEncoding.flatMap { try? Base64.decode($0, as: .standard) }
      return try await answer(der ?? [], request, isGet: true)
    }
  }

  private func answer(_ der: [UInt8], _ request: Request, isGet: Bool) async throws -> Response {
    let wanted: OCSPRequest
    do throws(AuthorityError) { wanted = try OCSPRequest(der: der) } catch {
      return Self.refusal(.malformedRequest)
    }
    // Of a request about two authorities, the first one's certificates are answered: one signature cannot count for both.
    guard let issuer = services.issuers.all.first(where: { $0.responder.knows(wanted) }) else {
      return Self.refusal(.unauthorized)
    }
    let now = services.now
    let answer = try await issuer.responder.answer(wanted, now: now)
    var response = Response.bytes(answer.response.der, type: Self.responseType)
    // A nonce makes an answer good for one client.
    guard isGet, wanted.nonce == nil else { return response }
    let tag = "\"\(Hexadecimal.encode(answer.response.contentHash))\""
    response.headers[.eTag] = tag
    response.headers[.lastModified] = HTTPDates.text(of: answer.thisUpdate)
    response.headers[.expires] = HTTPDates.text(of: answer.nextUpdate)
    // RFC 5019 6.2.
    response.headers[.cacheControl] =
      "max-age=\(max(0, answer.nextUpdate - now)), public, no-transform, must-revalidate"
    guard
      request.headers[.ifNoneMatch]?.split(separator: ",").contains(where: { $0.trimmed == tag || $0.trimmed == "*" })
        == true
    else { return response }
    return Response(status: .notModified, headers: response.headers.without(.contentType))
  }

  private static func refusal(_ refusal: OCSPRefusal) -> Response { .bytes(refusal.der, type: responseType) }
}

extension Substring {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}

extension HTTPFields {
  fileprivate func without(_ name: HTTPField.Name) -> HTTPFields {
    var fields = self
    fields[name] = nil
    return fields
  }
}
