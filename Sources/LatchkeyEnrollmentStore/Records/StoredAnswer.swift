public import LatchkeyEnrollmentProtocol

/// What was answered to a request with an Idempotency-Key.
public struct StoredAnswer: Sendable, Hashable {
  /// What makes the request the same request.
  public var digest: RequestDigest
  /// The HTTP status.
  public var status: Int
  /// The body.
  public var body: [UInt8]
  /// When it may be deleted.
  public var expires: Int64

  /// An answer.
  public init(digest: RequestDigest, status: Int, body: [UInt8], expires: Int64) {
    self.digest = digest
    self.status = status
    self.body = body
    self.expires = expires
  }
}

/// Within which an Idempotency-Key means one request.
public enum AnswerScope {
  /// A user's requests to a service, over whichever of the user's devices they come: a request whose answer was lost is the same one
  /// after the device enrolled again.
  public static func requests(to service: String, of user: UserName) -> String { service + ":" + user.text }

  /// A user's registrations.
  public static func registrations(of user: UserName) -> String { "registration-" + user.text }
}
