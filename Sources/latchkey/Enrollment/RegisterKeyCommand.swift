import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollment
import Security

/// `latchkey device register-key`: a key that is there already becomes the approval key.
struct RegisterKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "register-key",
    abstract: "Register a key of the enclave with the service: it logs in and approves from then on.",
    discussion: """
      The key is there already, made by `latchkey enclave create` or by a program (`SecKeyCreateRandomKey`, \
      `SecKeyGeneratePair`), and guarded by biometry or the passcode (`latchkey enclave create --guard`): each use asks for you, \
      this one too. A key that needs no user presence is refused, and so is every identity key. A device has one approval key: to have another, `latchkey revoke` \
      ends the device, and `latchkey enroll --approval-key` begins anew. Both, and `latchkey forget`, leave the key where it is.

      With --json: started (operation), approvalKey (label, evidence), done or error.
      """,
    examples: ["latchkey device register-key my-key"],
    statuses: .enrollment)

  @Argument(help: ArgumentHelp("The key's label: `latchkey enclave list` names them.", valueName: "label"))
  var key: String
  @OptionGroup var enrollment: EnrollmentOptions

  func run() async throws {
    try await enrollment.run(changingDevice: true) {
      try await EnrollmentReport(enrollment.output).register(key, try enrollment.client())
    }
  }
}

extension EnrollmentReport {
  /// The condition for asking the user, as the start of a sentence.
  static let whereAsked =
    "Where you can be asked (at a terminal, by the program in LATCHKEY_ASKPASS, or by the biometry that LATCHKEY_PRESENCE names)"

  /// Registers a key that is there already; the user is asked once. A failure says what is done, what is not, and what finishes it.
  ///
  /// - Parameter done: what the command has done until now.
  func register(_ key: String, _ client: EnrollmentClient, done: String? = nil) async throws {
    do {
      approvalKey(key, try await follow(client.registerApprovalKey(existing: key)))
    } catch let error as EnrollmentError {
      let failure = CommandFailure(error)
      guard Self.mayEndBetter(error) else {
        throw CommandFailure(failure.status, code: failure.code, (done.map { "\($0): " } ?? "") + failure.message)
      }
      let command =
        "`latchkey device register-key \(EnrollmentConfiguration.word(key))\(client.configuration.labelOption)`"
      throw CommandFailure(
        failure.status, code: failure.code,
        "\(done ?? "nothing was registered"): \(failure.message). \(Self.whereAsked), \(command) registers it")
    }
  }

  /// Whether the same registration may go well once the user can be asked and answers.
  private static func mayEndBetter(_ error: EnrollmentError) -> Bool {
    guard case .keychain(let status, _) = error else { return false }
    return [errSecInteractionNotAllowed, errSecAuthFailed, errSecUserCanceled].contains(status)
  }
}

extension ApprovalKeyState {
  /// What has become of a key that was registered, as the end of a sentence about it.
  var words: String {
    switch self {
    case .none, .registered: "is there"
    case .lost: "is not in the enclave any more"
    case .replaced:
      "is not in the enclave any more, and the key there with its label is another one, which approves nothing"
    case .unguarded: "needs no user presence, so it cannot approve"
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
