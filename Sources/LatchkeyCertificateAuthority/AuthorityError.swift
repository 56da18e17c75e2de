/// The reason for an authority's failure.
public enum AuthorityError: Error, Hashable, Sendable {
  /// The signing request is invalid: why.
  case invalidRequest(String)
  /// The caller misused the API: what to do instead.
  case misuse(String)
  /// The authority's key did not sign: its error.
  case keyUnavailable(String)
}

extension AuthorityError: CustomStringConvertible {
  /// The problem and the remedy.
  public var description: String {
    switch self {
    case .invalidRequest(let text), .misuse(let text): text
    case .keyUnavailable(let text): "the authority's key did not sign: \(text)"
    }
  }
}
