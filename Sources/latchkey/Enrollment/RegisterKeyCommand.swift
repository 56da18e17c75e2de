import ArgumentParser
import Enrollment

/// `latchkey device register-key`: a key that is there already becomes the approval key.
struct RegisterKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "register-key",
    abstract: "Register a key of the enclave with the service: it logs in and approves from then on.",
    discussion: """
      The key is there already, made by `latchkey enclave create` or by a program (`SecKeyCreateRandomKey`, \
      `SecKeyGeneratePair`), and guarded: each use asks for you, this one too. A device has one approval key: to have another, `latchkey revoke` \
      ends the device, and `latchkey enroll --approval-key` begins anew. Both, and `latchkey forget`, leave the key where it is.

      With --json: started (operation), approvalKey (label, evidence), done or error.
      """)

  @Argument(help: ArgumentHelp("The key's label: `latchkey enclave list` names them.", valueName: "label"))
  var key: String
  @OptionGroup var enrollment: EnrollmentOptions

  func run() async throws {
    try await enrollment.run {
      let report = EnrollmentReport(enrollment.output)
      let status = try await report.follow(try enrollment.client().registerApprovalKey(existing: key))
      report.approvalKey(key, status)
    }
  }
}

extension KeyGuard {
  /// The same for an approval key; nil for none, which would approve unasked.
  var ofApproval: ApprovalKeyGuard? {
    switch self {
    case .none: nil
    case .userPresence: .userPresence
    case .biometryAny: .biometryAny
    case .biometryCurrentSet: .biometryCurrentSet
    case .passcode: .passcode
    }
  }
}
