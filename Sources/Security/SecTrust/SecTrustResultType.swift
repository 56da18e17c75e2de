/// What came of an evaluation (Apple, SecTrust.h).
public enum SecTrustResultType: UInt32, Sendable {
  /// There was none.
  case invalid = 0
  /// Trusted, because the user says so. It is never answered here.
  case proceed = 1
  /// Ask the user. It is never answered here.
  case confirm = 2
  /// Not trusted, because the user says so. It is never answered here.
  case deny = 3
  /// Trusted, and nobody has said anything else.
  case unspecified = 4
  /// Not trusted as it is: an expired certificate, another host, an unknown root.
  case recoverableTrustFailure = 5
  /// Not trusted whatever one does: a certificate that cannot be read, a weak key.
  case fatalTrustFailure = 6
  /// It could not be evaluated: no evaluator is linked into the program.
  case otherError = 7
}
