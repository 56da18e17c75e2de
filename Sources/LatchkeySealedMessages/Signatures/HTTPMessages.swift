/// The parts of a request that a signature can cover (RFC 9421 2.2).
public struct HTTPRequestMessage: Sendable, Hashable {
  /// The method, as sent.
  public var method: String
  /// `@target-uri`: scheme, authority, path and query.
  public var targetURI: String
  /// The fields.
  public var fields: HTTPFields

  /// Creates a request.
  public init(method: String, targetURI: String, fields: HTTPFields) {
    self.method = method
    self.targetURI = targetURI
    self.fields = fields
  }
}

/// The parts of a response that a signature can cover (RFC 9421 2.2.9), besides the request that it answers.
public struct HTTPResponseMessage: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The fields.
  public var fields: HTTPFields

  /// Creates a response.
  public init(status: Int, fields: HTTPFields) {
    self.status = status
    self.fields = fields
  }
}
