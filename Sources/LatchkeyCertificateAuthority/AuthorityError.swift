/// Why the authority did not do what it was asked.
public enum AuthorityError: Error, Hashable, Sendable {
  /// The signing request was refused: why.
  case invalidRequest(String)
  /// The caller's misuse: what to do instead.
  case misuse(String)
  /// The authority's key did not sign: what it said.
  case keyUnavailable(String)
}

extension AuthorityError: CustomStringConvertible {
  /// What is wrong, and what to do next.
  public var description: String {
    switch self {
    case .invalidRequest(let text), .misuse(let text): text
    case .keyUnavailable(let text): "the authority's key did not sign: \(text)"
    }
  }
}
