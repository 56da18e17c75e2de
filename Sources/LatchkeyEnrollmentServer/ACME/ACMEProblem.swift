internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol

/// A refusal in ACME's form (RFC 8555 6.7).
struct ACMEProblem: Error, Sendable {
  /// The types that are used here; the last one is of draft-ietf-acme-device-attest.
  enum Kind: String, Sendable, CaseIterable {
    case accountDoesNotExist, alreadyRevoked, badCSR, badNonce, badPublicKey, badRevocationReason, badSignatureAlgorithm
    case malformed, orderNotReady, rateLimited, serverInternal, unauthorized, unsupportedIdentifier
    case badAttestationStatement
  }

  let kind: Kind
  let status: Int
  let detail: String?
  /// Seconds; nil if a repetition does not help.
  var retryAfter: Int?

  init(_ kind: Kind, status: Int = 400, detail: String? = nil, retryAfter: Int? = nil) {
    (self.kind, self.status, self.detail, self.retryAfter) = (kind, status, detail, retryAfter)
  }

  /// A refusal of the service.
  init(_ problem: Problem, retryAfter: Int? = nil) {
    let (kind, status): (Kind, Int) =
      switch problem.code {
      case .notAuthenticated, .notPermitted, .idempotencyMismatch: (.unauthorized, 403)
      case .revoked: (.alreadyRevoked, 400)
      case .invalidSigningRequest, .invalidName: (.badCSR, 400)
      case .invalidAttestation: (.badAttestationStatement, 403)
      case .tooManyRequests: (.rateLimited, 429)
      case .unavailable, .internalError: (.serverInternal, problem.status)
      default: (.malformed, problem.status)
      }
    // The service speaks of a field that ACME has not.
    let detail =
      problem.code == .idempotencyMismatch
      ? "the identifier has registered a device with another key, or one whose certificate has ended: use a fresh token"
      : problem.detail
    self.init(kind, status: status, detail: detail, retryAfter: retryAfter)
  }

  init(_ error: JSONWebSignatureError) {
    switch error {
    case .malformed(let detail): self.init(.malformed, detail: detail)
    case .badPublicKey(let detail): self.init(.badPublicKey, detail: detail)
    case .unsupportedAlgorithm: self.init(.badSignatureAlgorithm, detail: "sign with ES256")
    }
  }

  static let badNonce = ACMEProblem(.badNonce, detail: "the nonce is old or was used; this answer has another one")
  /// One answer for all: who has not made it does not learn that it exists.
  static let noOrder = ACMEProblem(
    .malformed, status: 404, detail: "this account has no such order, or the order has ended; make another one")

  /// The URN of a kind.
  static func type(of kind: Kind) -> String { "urn:ietf:params:acme:error:\(kind.rawValue)" }

  /// The document.
  var value: JSONLiteral {
    var members: [(String, JSONLiteral)] = [
      ("type", .string(Self.type(of: kind))), ("status", .integer(status)),
    ]
    if let detail { members.append(("detail", .string(detail))) }
    // RFC 8555 6.2: with the algorithms that are accepted.
    if kind == .badSignatureAlgorithm { members.append(("algorithms", ["ES256"])) }
    return .members(members)
  }

  /// Whether a repetition may succeed, so that an order is not invalid for it.
  var isPassing: Bool { [.rateLimited, .serverInternal, .badNonce].contains(kind) }
}
