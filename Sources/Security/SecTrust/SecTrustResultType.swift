/// The result of a trust evaluation (Apple, SecTrust.h).
public enum SecTrustResultType: UInt32, Sendable {
  /// No evaluation has run.
  case invalid = 0
  /// Trusted by the user's decision. Never returned on Linux.
  case proceed = 1
  /// The user must confirm. Never returned on Linux.
  case confirm = 2
  /// Not trusted by the user's decision. Never returned on Linux.
  case deny = 3
  /// Trusted, without a decision of the user.
  case unspecified = 4
  /// Not trusted, but recoverable: an expired certificate, another host, an unknown root.
  case recoverableTrustFailure = 5
  /// Not trusted, and not recoverable: a certificate that cannot be parsed, a weak key.
  case fatalTrustFailure = 6
  /// The evaluation failed, because the program has no evaluator.
  case otherError = 7
}
