/// Why a sealed message was not made or not accepted.
public enum SealedMessageError: Error, Hashable, Sendable {
  /// The message is not what it should be: which field, and how. Malformed bytes of a peer.
  case malformed(String)
  /// What proves the message does not: signature, MAC or digest. One case for all, so that nobody learns which.
  case notAuthentic
  /// The signature does not cover what it must: the component that is missing.
  case notCovered(String)
  /// The message is too old, too new, or past its own end: seconds by which it is.
  case outsideWindow(seconds: Int64)
  /// The caller's misuse, or a random source that failed: what to do.
  case misuse(String)
}

extension SealedMessageError: CustomStringConvertible {
  /// What is wrong, in words; of a misuse, what to do.
  public var description: String {
    switch self {
    case .malformed(let detail), .misuse(let detail): detail
    case .notAuthentic: "what proves the message does not"
    case .notCovered(let component): "the signature does not cover \(component)"
    case .outsideWindow(let seconds):
      "its time is \(seconds) s outside of what is taken: see that both clocks are right"
    }
  }
}
