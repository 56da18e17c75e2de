/// An error on the wire: `application/problem+json` (RFC 9457).
public struct Problem: Codable, Sendable, Hashable, Error {
  /// The code of a problem; clients decide by this alone.
  public enum Code: String, Codable, Sendable, CaseIterable {
    /// The request does not match the OpenAPI document. 400.
    case malformedRequest = "malformed_request"
    /// User, password, token, signature or certificate is invalid; the answer never says which. 401.
    case notAuthenticated = "not_authenticated"
    /// This route requires a valid client certificate. 401.
    case certificateRequired = "certificate_required"
    /// The certificate or the device is revoked. 403.
    case revoked = "revoked"
    /// The requester lacks the permission. 403.
    case notPermitted = "not_permitted"
    /// The transfer needs the approval key's signature over ``Problem/challenge``. 403.
    case approvalRequired = "approval_required"
    /// The request's clock or expiry is outside the window; ``Problem/serverTime`` is the server's clock. 401.
    case clockSkew = "clock_skew"
    /// The nonce or challenge was used before. 409.
    case replayed = "replayed"
    /// The Idempotency-Key was used with another request. 422.
    case idempotencyMismatch = "idempotency_mismatch"
    /// The same request is in progress. 409, with Retry-After.
    case inProgress = "in_progress"
    /// The balance is too low. 422.
    case insufficientFunds = "insufficient_funds"
    /// The account does not exist, or belongs to another user. 422.
    case unknownAccount = "unknown_account"
    /// Amount, currency or accounts are invalid for a transfer. 422.
    case invalidTransfer = "invalid_transfer"
    /// The signing request is invalid: its signature, key or size. 422.
    case invalidSigningRequest = "invalid_signing_request"
    /// The device's name has no characters, too many, or invisible ones. 422.
    case invalidName = "invalid_name"
    /// The attestation was refused. 422.
    case invalidAttestation = "invalid_attestation"
    /// A value is not as it should be; the detail says which. 422.
    case invalidValue = "invalid_value"
    /// It is so already, or exists already. 409.
    case conflict = "conflict"
    /// Too many requests or failures. 429, with Retry-After.
    case tooManyRequests = "too_many_requests"
    /// The resource does not exist. 404.
    case notFound = "not_found"
    /// The method is not allowed for this path. 405.
    case methodNotAllowed = "method_not_allowed"
    /// The connection is for another host than the request. 421.
    case misdirected = "misdirected"
    /// The body is larger than the server accepts. 413.
    case tooLarge = "too_large"
    /// The body's type is not supported for this path. 415.
    case unsupportedMediaType = "unsupported_media_type"
    /// The store is unavailable. 503, with Retry-After. The request was not carried out, or a retry under its Idempotency-Key
    /// reports the outcome.
    case unavailable = "unavailable"
    /// A fault of the server. 500; its log has details under ``Problem/instance``.
    case internalError = "internal_error"
  }

  /// `urn:latchkey:problem:` and the code.
  public var type: String
  /// The code as text.
  public var title: String
  /// The HTTP status.
  public var status: Int
  /// The code.
  public var code: Code
  /// The remedy, for people. Never says which secret was wrong.
  public var detail: String?
  /// The request's identifier in the server's log.
  public var instance: String?
  /// The server's clock, seconds since 1970; with `clock_skew`.
  public var serverTime: Int64?
  /// The challenge to sign; with `approval_required`.
  public var challenge: Challenge?
  /// How long the server asks to wait before the next request: the field `Retry-After` of the answer that a client received, in seconds
  /// also where it was a date, 2³¹ at most. Not part of the JSON.
  public var retryAfter: Duration?

  private enum CodingKeys: String, CodingKey {
    case type, title, status, code, detail, instance, serverTime, challenge
  }

  /// Creates a problem with the code's title and status.
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
  /// The HTTP status of this code.
  public var status: Int {
    switch self {
    case .malformedRequest: 400
    case .notAuthenticated, .certificateRequired, .clockSkew: 401
    case .revoked, .notPermitted, .approvalRequired: 403
    case .notFound: 404
    case .methodNotAllowed: 405
    case .replayed, .inProgress, .conflict: 409
    case .tooLarge: 413
    case .unsupportedMediaType: 415
    case .misdirected: 421
    case .idempotencyMismatch, .insufficientFunds, .unknownAccount, .invalidTransfer, .invalidSigningRequest,
      .invalidName, .invalidAttestation, .invalidValue:
      422
    case .tooManyRequests: 429
    case .internalError: 500
    case .unavailable: 503
    }
  }
}
