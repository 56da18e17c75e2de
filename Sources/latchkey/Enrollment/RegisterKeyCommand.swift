import ArgumentParser
import Enrollment

/// `latchkey device register-key`: a key that is there already becomes the approval key.
struct RegisterKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "register-key",
    abstract: "Register a key of the enclave with the service: it logs in and approves from then on.",
    discussion: """
      The key is there already, made by `latchkey enclave create` or by a program (`SecKeyCreateRandomKey`, \
      `SecKeyGeneratePair`), and guarded by biometry or the passcode (`latchkey enclave create --guard`): each use asks for you, \
      this one too. A key that asks nobody is refused, and so is every identity key. A device has one approval key: to have another, `latchkey revoke` \
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

/// The guard of an approval key, by its name on the command line. None is no choice: such a key would approve unasked.
struct ApprovalGuard: ExpressibleByArgument {
  let guarded: ApprovalKeyGuard

  init?(argument: String) {
    guard let guarded = KeyGuard(rawValue: argument)?.ofApproval else { return nil }
    self.guarded = guarded
  }

  static var allValueStrings: [String] { KeyGuard.allCases.filter { $0.ofApproval != nil }.map(\.rawValue) }
}

extension KeyGuard {
  /// The same for an approval key; nil for none.
  fileprivate var ofApproval: ApprovalKeyGuard? {
    switch self {
    case .none: nil
    case .userPresence: .userPresence
    case .biometryAny: .biometryAny
    case .biometryCurrentSet: .biometryCurrentSet
    case .passcode: .passcode
    }
  }
}
