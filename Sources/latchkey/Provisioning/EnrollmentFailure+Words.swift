import LatchkeyCommandLine
import LatchkeyProvisioningProtocol

extension EnrollmentFailure {
  /// Why a device has not enrolled, in words, and what to do.
  var words: String {
    switch self {
    case .other: "it does not say why; its own output does"
    case .tokenRefused:
      "the server does not accept the token, which is wrong or has expired: `latchkey device token` gets another"
    case .unreachable:
      "it cannot reach the server: check the address, and whether its network leads there; then try again"
    case .untrusted: "it does not trust the server's certificate: --enroll-ca names who vouches for it"
    case .enrolledElsewhere: "it is enrolled with another server: `latchkey revoke` on the device ends that"
    case .notStored: "it cannot keep an identity: look at its keychain, and try again"
    case .refused:
      "the server refuses it: the token was used for another device, or the user has too many; the device's own output says which"
    }
  }

  /// Its name in JSON.
  var code: String {
    switch self {
    case .other: "notEnrolled"
    case .tokenRefused: "tokenRefused"
    case .unreachable: "serverUnreachable"
    case .untrusted: "untrustedServer"
    case .enrolledElsewhere: "enrolledElsewhere"
    case .notStored: "notStored"
    case .refused: "refusedByServer"
    }
  }

  /// How the command ends.
  var status: ExitStatus {
    switch self {
    case .other, .unreachable, .notStored: .tryLater
    case .tokenRefused, .untrusted, .enrolledElsewhere, .refused: .notPermitted
    }
  }
}
