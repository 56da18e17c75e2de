public import LatchkeyEnrollmentProtocol
public import Security

/// The failure of a client's operation. The texts are for logs; `userMessage` is for the user.
public enum EnrollmentError: Error, Hashable, Sendable {
  /// The server refused and returned the reason.
  case problem(Problem)
  /// The legacy service refused: the HTTP status, and its text.
  case refused(status: Int, String)
  /// The server could not be reached, or its response was meaningless; the request was not carried out.
  case unreachable(String)
  /// The server is not authenticated: its certificate is not trusted, or belongs to another host. Nothing was sent.
  case untrustedServer(String)
  /// The answer does not prove that it is the server's answer to this request ("cannot verify" in `Examples/002-sealed-transfer`).
  case cannotVerify(String)
  /// The answer cannot be read ("cannot interpret" in `Examples/002-sealed-transfer`).
  case cannotInterpret(String)
  /// The request was sent without a response, so it may have been carried out. Sending it again under the same key resolves
  /// that.
  case outcomeUnknown(idempotencyKey: String)
  /// The registration waits for an approval, by another device of the user or by the operator. Enrolling again, in the same way,
  /// asks for the result.
  case awaitingApproval(PendingDevice)
  /// The device's certificate has expired; only a new enrollment replaces it.
  case identityExpired
  /// There is no enrollment under this label, or one without a device: enroll first.
  case notEnrolled
  /// The PKCS#12 file that the server made was not imported: the status of `SecPKCS12Import`.
  case importFailed(status: OSStatus)
  /// The keychain's error: its status and text.
  case keychain(status: OSStatus, String)
  /// Incorrect use by the caller, with the remedy.
  case misuse(String)
}

extension EnrollmentError {
  /// The message for the user. The cases of `Examples/002-sealed-transfer` have its texts (`LegacyEnrollment`).
  public var userMessage: String {
    switch self {
    case .cannotVerify: LegacyEnrollment.cannotVerify
    case .cannotInterpret: LegacyEnrollment.cannotInterpret
    case .problem(let problem): problem.detail ?? problem.title
    case .refused(_, let detail): detail
    case .unreachable(let detail): "The server cannot be reached: \(detail)"
    case .untrustedServer(let detail): "The server is not trusted: \(detail)"
    case .outcomeUnknown:
      "The connection broke before the answer came. Nothing is lost: the same request reports its outcome."
    case .awaitingApproval(let device):
      "This device waits for an approval. Compare these digits where you approve it: \(device.comparedDigits)"
    case .identityExpired: "This device's certificate has ended: enroll the device again."
    case .notEnrolled: "This device is not enrolled: enroll it first."
    case .importFailed(let status):
      "The identity that the server sent cannot be imported: \(Self.text(of: status))"
    case .keychain(_, let detail): detail
    case .misuse(let detail): detail
    }
  }

  /// How long the server asked to wait before the next request (`Problem.retryAfter`); nil if it did not ask.
  public var retryAfter: Duration? { if case .problem(let problem) = self { problem.retryAfter } else { nil } }

  /// The title above ``userMessage``.
  public var userTitle: String {
    switch self {
    case .cannotVerify, .cannotInterpret, .untrustedServer: LegacyEnrollment.unsecureConnection
    default: "Request Failed"
    }
  }

  /// The description of a status.
  static func text(of status: OSStatus) -> String {
    SecCopyErrorMessageString(status, nil).map { "\($0)" } ?? "OSStatus \(status)"
  }
}
