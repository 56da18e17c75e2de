import Foundation
import Security

/// Whether a certificate is trusted.
struct EvaluatedCertificate {
  /// Why not; nil if it is.
  let status: OSStatus?
  /// The same in words.
  let reason: String?

  var isValid: Bool { status == nil }

  /// Evaluates `certificate` with `issuers`, of which some may lead to a root, by `policy`; `roots` are trusted beside the
  /// system's.
  init(_ certificate: SecCertificate, _ issuers: [SecCertificate], policy: SecPolicy, roots: [SecCertificate]) {
    // A `SecTrust` accepts as many as a peer would send.
    let certificates = [certificate] + issuers.filter { $0 != certificate }.prefix(100)
    var trust: SecTrust?
    var error: CFError?
    guard SecTrustCreateWithCertificates(certificates as CFArray, policy, &trust) == errSecSuccess, let trust else {
      status = errSecInternalError
      reason = nil
      return
    }
    SecTrustSetAnchorCertificates(trust, Array(roots.prefix(100)) as CFArray)
    SecTrustSetAnchorCertificatesOnly(trust, false)
    SecTrustEvaluateWithError(trust, &error)
    status = error.map { OSStatus($0.code) }
    reason = error?.localizedDescription
  }
}

extension SecurityToolText {
  /// The name by which macOS's `security` calls a reason not to trust (Security-61901, SecPolicyChecks.list).
  static func trustError(_ status: OSStatus) -> String {
    switch status {
    case errSecHostNameMismatch: "CSSMERR_APPLETP_HOSTNAME_MISMATCH"
    case errSecCertificateExpired: "CSSMERR_TP_CERT_EXPIRED"
    case errSecCertificateNotValidYet: "CSSMERR_TP_CERT_NOT_VALID_YET"
    case errSecUnsupportedKeySize: "CSSMERR_CSP_UNSUPPORTED_KEY_SIZE"
    case errSecInvalidDigestAlgorithm: "CSSMERR_CSP_INVALID_DIGEST_ALGORITHM"
    case errSecInvalidKeyUsageForPolicy: "CSSMERR_APPLETP_INVALID_KEY_USAGE"
    case errSecInvalidExtendedKeyUsage: "CSSMERR_APPLETP_INVALID_EXTENDED_KEY_USAGE"
    case errSecNoBasicConstraintsCA: "CSSMERR_APPLETP_INVALID_CA"
    case errSecPathLengthConstraintExceeded: "CSSMERR_APPLETP_PATH_LEN_CONSTRAINT"
    case errSecNotTrusted, errSecCreateChainFailed: "CSSMERR_TP_NOT_TRUSTED"
    case errSecUnknownCriticalExtensionFlag: "CSSMERR_APPLETP_UNKNOWN_CRITICAL_EXTEN"
    case errSecInvalidName, errSecInvalidCertificateRef: "CSSMERR_TP_INVALID_CERTIFICATE"
    default: "\(status)"
    }
  }
}
