/// The reason for failing to seal or open a message.
public enum SealedMessageError: Error, Hashable, Sendable {
  /// The message is malformed: which field, and how. The peer's fault.
  case malformed(String)
  /// Signature, MAC or digest does not verify. One case for all, so that a peer cannot learn which.
  case notAuthentic
  /// The signature does not cover a required component: which.
  case notCovered(String)
  /// The message is too old, too new, or expired: by how many seconds.
  case outsideWindow(seconds: Int64)
  /// The caller misused the API, or a random source failed: what to do.
  case misuse(String)
}

extension SealedMessageError: CustomStringConvertible {
  /// The reason; for misuse, the remedy.
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
