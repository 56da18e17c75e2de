internal import Foundation
internal import LatchkeyKeychainModel

/// The reason why certificates are not trusted: a status, and a text for people.
struct TrustFault: Hashable, Sendable {
  let status: OSStatus
  let text: String
  let result: SecTrustResultType
  /// The evaluator's reason; nil if the fault is not the evaluator's.
  var refusal: TrustRefusal?

  /// The fault as an error object.
  var error: CFError {
    NSError(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: [NSLocalizedDescriptionKey: text])
  }

  /// The program has no evaluator.
  static let unimplemented = TrustFault(
    status: errSecUnimplemented,
    text:
      "this program has no trust evaluator: add the product LatchkeyCertificateTrust of the package latchkey to the target",
    result: .otherError)

  /// A policy requires a revocation check, which is not implemented.
  static let revocationUnknown = TrustFault(
    status: errSecIncompleteCertRevocationCheck,
    text:
      "revocation checks are not implemented: omit kSecRevocationRequirePositiveResponse, and check revocation separately",
    result: .recoverableTrustFailure)
}

extension TrustFault {
  /// Converts a refusal to a status and a text.
  init(_ refusal: TrustRefusal, detail: String) {
    self.init(status: refusal.status, text: detail, result: refusal.result, refusal: refusal)
  }
}

extension TrustRefusal {
  /// The status of this refusal (Security-61901, SecPolicyChecks.list).
  var status: OSStatus {
    switch self {
    case .hostMismatch: errSecHostNameMismatch
    case .expired: errSecCertificateExpired
    case .notYetValid: errSecCertificateNotValidYet
    case .weakKey: errSecUnsupportedKeySize
    case .weakSignature: errSecInvalidDigestAlgorithm
    case .keyUsage: errSecInvalidKeyUsageForPolicy
    case .usage: errSecInvalidExtendedKeyUsage
    case .noAuthority: errSecNoBasicConstraintsCA
    case .pathLength, .tooMuch: errSecPathLengthConstraintExceeded
    case .noAnchor: errSecNotTrusted
    case .noIssuer: errSecCreateChainFailed
    case .criticalExtension: errSecUnknownCriticalExtensionFlag
    case .nameConstraints: errSecInvalidName
    case .invalid: errSecInvalidCertificateRef
    }
  }

  /// The type of result: recoverable or fatal.
  var result: SecTrustResultType {
    switch self {
    case .weakKey, .weakSignature, .invalid: .fatalTrustFailure
    default: .recoverableTrustFailure
    }
  }
}
