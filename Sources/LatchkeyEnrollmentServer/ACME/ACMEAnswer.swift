internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import NIOCore

/// An answer of ACME, before it gets its nonce.
struct ACMEAnswer: Sendable {
  var status: Int
  var location: String?
  var links: [String] = []
  var retryAfter: Int?
  /// Type and text; nil without content.
  var body: (type: String, text: String)?

  init(
    status: Int, location: String? = nil, links: [String] = [], retryAfter: Int? = nil,
    body: (type: String, text: String)? = nil
  ) {
    (self.status, self.location, self.links, self.retryAfter, self.body) = (status, location, links, retryAfter, body)
  }

  /// A refusal.
  init(_ problem: ACMEProblem) {
    self.init(
      status: problem.status, retryAfter: problem.retryAfter, body: (ProblemAnswer.mediaType, problem.value.text))
  }

  static func json(_ value: JSONLiteral, _ request: ACMERequest, status: Int = 200) -> ACMEAnswer {
    ACMEAnswer(status: status, links: [index(request.base)], body: ("application/json", value.text))
  }

  /// The link from each resource to the directory (RFC 8555 7.1).
  static func index(_ base: String) -> String { "<\(base + Routes.acmeDirectory)>;rel=\"index\"" }

  private static let nonceField = HTTPField.Name("Replay-Nonce")
  private static let linkField = HTTPField.Name("Link")

  /// - Parameter nonce: a fresh one; nil: none.
  func response(nonce: String?) -> Response {
    var fields = HTTPFields()
    if let nonce, let name = Self.nonceField { fields[name] = nonce }
    if let location { fields[.location] = location }
    if let name = Self.linkField { for link in links { fields.append(HTTPField(name: name, value: link)) } }
    if let retryAfter { fields[.retryAfter] = "\(retryAfter)" }
    if let body { fields[.contentType] = body.type }
    return Response(
      status: HTTPResponse.Status(code: status), headers: fields,
      body: body.map { ResponseBody(byteBuffer: ByteBuffer(string: $0.text)) } ?? ResponseBody())
  }
}

/// The documents of ACME (RFC 8555 7.1).
struct ACMEDocuments: Sendable {
  private let base: String

  /// - Parameter base: the start of all URLs.
  init(_ base: String) { self.base = base }

  /// - Parameter orders: the path of new orders.
  func directory(_ orders: String) -> JSONLiteral {
    [
      "newNonce": url(Routes.acmeNonce), "newAccount": url(Routes.acmeAccounts), "newOrder": url(orders),
      "revokeCert": url(Routes.acmeRevocation),
    ]
  }

  func order(_ order: ACMEOrder, _ state: ACMEOrder.State) -> JSONLiteral {
    let status =
      switch state {
      case .pending: "pending"
      case .ready: "ready"
      case .processing: "processing"
      case .valid: "valid"
      case .invalid: "invalid"
      }
    var members: [(String, JSONLiteral)] = [
      ("status", .string(status)), ("expires", time(order.record.expires)), ("identifiers", [identifier(order)]),
      ("authorizations", [url(Routes.acmeAuthorization(order.name))]),
      ("finalize", url(Routes.acmeFinalization(order.name))),
    ]
    if case .valid = state { members.append(("certificate", url(Routes.acmeCertificate(order.name)))) }
    if case .invalid(let problem) = state { members.append(("error", problem.value)) }
    return .members(members)
  }

  func authorization(_ order: ACMEOrder) -> JSONLiteral {
    [
      "status": .string(status(order)), "expires": time(order.record.expires), "identifier": identifier(order),
      "challenges": [challenge(order)],
    ]
  }

  func challenge(_ order: ACMEOrder) -> JSONLiteral {
    var members: [(String, JSONLiteral)] = [
      ("type", "device-attest-01"), ("url", url(Routes.acmeChallenge(order.name))), ("status", .string(status(order))),
      ("token", .string(order.challengeToken)),
    ]
    if let answered = order.record.answered, order.record.outcome != .refused {
      members.append(("validated", time(answered)))
    }
    if order.record.outcome == .refused { members.append(("error", ACMEOrders.refusedAttestation.value)) }
    return .members(members)
  }

  private func status(_ order: ACMEOrder) -> String {
    switch order.record.outcome {
    case nil: "pending"
    case .refused: "invalid"
    case .attested: "valid"
    }
  }

  private func identifier(_ order: ACMEOrder) -> JSONLiteral {
    ["type": .string(ACMEOrders.identifierType), "value": .string(order.identifier)]
  }

  private func url(_ path: String) -> JSONLiteral { .string(base + path) }

  private func time(_ seconds: Int64) -> JSONLiteral {
    .string(Date(timeIntervalSince1970: TimeInterval(seconds)).ISO8601Format())
  }
}
