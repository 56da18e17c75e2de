import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeySystem
import Security

extension CommandFailure {
  /// How a command ends at an error of the client.
  init(_ error: EnrollmentError) {
    switch error {
    case .problem(let problem): self.init(problem)
    case .refused(let status, let text):
      // Only an old service refuses so, and a server that has none.
      let advice =
        [404, 405].contains(status)
        ? ": leave --documented out, or let the server speak the old protocol, too (`latchkey serve --documented`)" : ""
      // What is wrong with the transfer ends as with a signed one.
      let isData = status == 400 && !["Approval Required", "Message Integrity Error"].contains(text)
      self.init(
        isData ? .badData : .notPermitted, code: "refused",
        "the server refused: \(PrintableText.escaped(text))\(advice)")
    case .unreachable: self.init(.unavailable, code: "unreachable", error.userMessage)
    case .untrustedServer:
      self.init(.notPermitted, code: "untrustedServer", "\(error.alert): --ca names who may vouch for it")
    case .cannotVerify(let detail): self.init(.badData, code: "cannotVerify", "\(error.alert) (\(detail))")
    case .cannotInterpret(let detail): self.init(.badData, code: "cannotInterpret", "\(error.alert) (\(detail))")
    case .outcomeUnknown:
      self.init(
        .tryLater, code: "outcomeUnknown",
        "no answer came, and the request may have been carried out: run the same command again: it finds out, and does nothing twice"
      )
    case .awaitingApproval(let device):
      self.init(
        .tryLater, code: "awaitingApproval",
        "this device waits for an approval, its digits are \(device.comparedDigits): approve it with `latchkey approve-device` on "
          + "another device, or latchkey-server device approve \(PrintableText.escaped(device.device)); then run the same command again"
      )
    case .identityExpired:
      self.init(
        .unavailable, code: "identityExpired",
        "the certificate has ended: `latchkey renew` asks whether the server renews it still; else `latchkey enroll` gets another"
      )
    case .notEnrolled:
      self.init(
        .unavailable, code: "notEnrolled", "there is no enrollment of this label: `latchkey enroll URL` makes one")
    case .importFailed: self.init(.badData, code: "importFailed", error.userMessage)
    // The guarded keys have texts of their own.
    case .keychain(errSecInteractionNotAllowed, Self.isLocked):
      self.init(.locked, "the keychain is locked: give --passcode, or set LATCHKEY_PASSCODE_FILE")
    case .keychain(let status, let detail): self.init(security: status, detail)
    case .misuse(let detail): self.init(.usage, detail)
    }
  }

  private static let isLocked = SecCopyErrorMessageString(errSecInteractionNotAllowed, nil).map { "\($0)" } ?? ""

  /// How a command ends when the server refuses.
  private init(_ problem: Problem) {
    let status: ExitStatus =
      switch problem.code {
      case .notAuthenticated, .certificateRequired, .revoked, .notPermitted, .approvalRequired, .replayed: .notPermitted
      case .tooManyRequests, .inProgress, .unavailable, .internalError, .clockSkew: .tryLater
      default: .badData
      }
    let words = problem.code.rawValue.split(separator: "_")
    let code = words.dropFirst().reduce(words.first.map(String.init) ?? "") { $0 + $1.capitalized }
    // The client has answered the challenge before it says so.
    let answered =
      "the approval was not accepted, and nothing was booked: the same command again gets a fresh challenge. If the approval key was made "
      + "anew since this device registered it, `latchkey revoke` ends the device, and `latchkey enroll` begins anew"
    let explanation = problem.code == .approvalRequired ? answered : problem.detail.map(PrintableText.escaped)
    let detail = explanation.map { ": \($0)" } ?? ""
    self.init(status, code: code, "the server refused, \(words.joined(separator: " "))\(detail)")
  }

  /// How a command ends when the server does not permit what wants an approval; nil if this device has an approval key.
  init?(_ problem: Problem, noApprovalKeyOf client: EnrollmentClient) async throws {
    guard problem.code == .notPermitted, try await client.identity()?.hasApprovalKey == false else { return nil }
    let failure = CommandFailure(.problem(problem))
    let option = client.configuration.labelOption
    self.init(
      failure.status, code: failure.code,
      "\(failure.message). This device has no approval key: `latchkey device register-key KEY\(option)` registers one of the "
        + "enclave, and `latchkey enroll\(option)` once more, where you can be asked, makes one")
  }
}

extension EnrollmentError {
  /// Title and text of the alert that an app shows.
  fileprivate var alert: String { "\(userTitle): \(userMessage)" }
}
