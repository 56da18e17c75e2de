/// An error on the wire: `application/problem+json` (RFC 9457).
public struct Problem: Codable, Sendable, Hashable, Error {
  /// What kinds there are; clients decide by this alone.
  public enum Code: String, Codable, Sendable, CaseIterable {
    /// The request is not what the OpenAPI document says. 400.
    case malformedRequest = "malformed_request"
    /// User, password, token, signature or certificate do not prove who asks; never which of them. 401.
    case notAuthenticated = "not_authenticated"
    /// This route wants a client certificate that counts. 401.
    case certificateRequired = "certificate_required"
    /// Certificate or device were revoked. 403.
    case revoked = "revoked"
    /// Who asks may not do this. 403.
    case notPermitted = "not_permitted"
    /// The transfer needs the approval key's signature over ``Problem/challenge``. 403.
    case approvalRequired = "approval_required"
    /// The request's clock or end is outside the window; ``Problem/serverTime`` says what it is here. 401.
    case clockSkew = "clock_skew"
    /// The nonce or challenge was used before. 409.
    case replayed = "replayed"
    /// The Idempotency-Key came before with another request. 422.
    case idempotencyMismatch = "idempotency_mismatch"
    /// The same request is being worked on. 409, with Retry-After.
    case inProgress = "in_progress"
    /// The account has not so much. 422.
    case insufficientFunds = "insufficient_funds"
    /// No such account, or not this user's. 422.
    case unknownAccount = "unknown_account"
    /// Amount, currency or accounts do not make a transfer. 422.
    case invalidTransfer = "invalid_transfer"
    /// The signing request was refused: its signature, key or size. 422.
    case invalidSigningRequest = "invalid_signing_request"
    /// The device's name has none, too many, or characters that do not show. 422.
    case invalidName = "invalid_name"
    /// The attestation was refused. 422.
    case invalidAttestation = "invalid_attestation"
    /// Too many requests or failures. 429, with Retry-After.
    case tooManyRequests = "too_many_requests"
    /// There is no such thing. 404.
    case notFound = "not_found"
    /// The method is not for this path. 405.
    case methodNotAllowed = "method_not_allowed"
    /// The body is larger than the server takes. 413.
    case tooLarge = "too_large"
    /// The body's type is not for this path. 415.
    case unsupportedMediaType = "unsupported_media_type"
    /// The store cannot answer now. 503, with Retry-After; the request was not carried out, or its key will tell.
    case unavailable = "unavailable"
    /// A fault of the server. 500; its log says more under ``Problem/instance``.
    case internalError = "internal_error"
  }

  /// `urn:latchkey:problem:` and the code.
  public var type: String
  /// The kind, as words.
  public var title: String
  /// The HTTP status.
  public var status: Int
  /// The kind.
  public var code: Code
  /// What to do, for people. Never says which secret was wrong.
  public var detail: String?
  /// The request's identifier in the server's log.
  public var instance: String?
  /// The server's clock, seconds since 1970; with `clock_skew`.
  public var serverTime: Int64?
  /// What to sign; with `approval_required`.
  public var challenge: Challenge?

  /// A problem of a kind.
  public init(
    _ code: Code, detail: String? = nil, instance: String? = nil, serverTime: Int64? = nil, challenge: Challenge? = nil
  ) {
    type = "urn:latchkey:problem:\(code.rawValue)"
    title = code.rawValue.split(separator: "_").joined(separator: " ")
    status = code.status
    self.code = code
    self.detail = detail
    self.instance = instance
    self.serverTime = serverTime
    self.challenge = challenge
  }
}

extension Problem.Code {
  /// The HTTP status that goes with it.
  public var status: Int {
    switch self {
    case .malformedRequest: 400
    case .notAuthenticated, .certificateRequired, .clockSkew: 401
    case .revoked, .notPermitted, .approvalRequired: 403
    case .notFound: 404
    case .methodNotAllowed: 405
    case .replayed, .inProgress: 409
    case .tooLarge: 413
    case .unsupportedMediaType: 415
    case .idempotencyMismatch, .insufficientFunds, .unknownAccount, .invalidTransfer, .invalidSigningRequest,
      .invalidName, .invalidAttestation:
      422
    case .tooManyRequests: 429
    case .internalError: 500
    case .unavailable: 503
    }
  }
}
