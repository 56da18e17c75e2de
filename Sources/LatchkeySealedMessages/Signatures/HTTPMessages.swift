/// What a signature can cover of a request (RFC 9421 2.2).
public struct HTTPRequestMessage: Sendable, Hashable {
  /// The method, as it is on the wire.
  public var method: String
  /// `@target-uri`: scheme, authority, path and query.
  public var targetURI: String
  /// The fields.
  public var fields: HTTPFields

  /// A request.
  public init(method: String, targetURI: String, fields: HTTPFields) {
    self.method = method
    self.targetURI = targetURI
    self.fields = fields
  }
}

/// What a signature can cover of a response (RFC 9421 2.2.9), beside the request that it answers.
public struct HTTPResponseMessage: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The fields.
  public var fields: HTTPFields

  /// A response.
  public init(status: Int, fields: HTTPFields) {
    self.status = status
    self.fields = fields
  }
}
