import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeySystem

/// `latchkey status`: the state of this device at the service.
struct EnrollmentStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show this device's enrollment, and ask the server whether it counts.",
    discussion: """
      With --offline the server is not asked. Ends with 77 if the server refuses the device. The approval key is compared with \
      the one that was registered: another one under its label approves nothing.

      With --json: enrollment (server, user, device, notAfter, isValid, label, hasApprovalKey, approvalKeyState \
      (none, registered, lost, replaced, unguarded), approvalKeyLost, pendingTransfers), counts (device, notAfter, approvalKeyEvidence), done or error.
      """,
    examples: ["latchkey status", "latchkey status --offline --json"],
    statuses: .enrollment)

  @Flag(help: "Print what the keychain has, without asking the server.") var offline = false
  @OptionGroup var enrollment: EnrollmentOptions

  func run() async throws {
    try await enrollment.run {
      let (client, output) = (try enrollment.client(), enrollment.output)
      guard let identity = try await client.identity() else { throw EnrollmentError.notEnrolled }
      let pending = try await client.pendingTransfers().count
      let until = EnrollmentReport.time(identity.notAfter)
      let isValid = identity.isValid(at: Date())
      let state = try await client.approvalKeyState()
      let option = client.configuration.labelOption
      let approvalKey =
        switch state {
        case .none: "none"
        case .registered: "registered"
        case .lost, .replaced, .unguarded:
          "the registered one \(state.words): `latchkey revoke\(option)`, then `latchkey enroll\(option)`"
        }
      output.emit(
        """
        Enrolled at \(client.configuration.server) for \(PrintableText.escaped(identity.user)): device \(identity.device)
        certificate   \(isValid ? "until" : "ended at") \(until)
        approval key  \(approvalKey)
        transfers     \(pending == 0 ? "none is open" : "\(pending) whose end is not known: `latchkey transfer --pending`")
        """, "enrollment",
        [
          "server": .text("\(client.configuration.server)"), "user": .text(identity.user),
          "device": .text(identity.device), "notAfter": .text(until), "isValid": .boolean(isValid),
          "label": .text(client.configuration.label), "hasApprovalKey": .boolean(identity.hasApprovalKey),
          "approvalKeyState": .text(state.rawValue), "approvalKeyLost": .boolean(state == .lost || state == .replaced),
          "pendingTransfers": .integer(pending),
        ])
      guard !offline else { return }
      let status = try await client.deviceStatus()
      output.emit(
        "The server knows it, and its certificate counts", "counts",
        [
          "device": .text(status.device),
          "notAfter": .text(EnrollmentReport.time(Date(timeIntervalSince1970: TimeInterval(status.notAfter)))),
          "approvalKeyEvidence": status.approvalKeyEvidence.map { .text($0) } ?? .null,
        ])
    }
  }
}

/// `latchkey renew`: another certificate, and another key if that is wanted.
struct RenewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "renew",
    abstract: "Get a new certificate for this device, over the one that it has.",
    discussion: """
      It happens by itself when a third of the certificate's life is left. With --new-key the identity key is changed, too: the \
      server ends every certificate of the old key in the same moment, so anyone who stole it has nothing.

      With --json: started (operation), renewed (device, notAfter, newKey), done or error.
      """,
    examples: ["latchkey renew", "latchkey renew --new-key"],
    statuses: .enrollment)

  @Flag(help: "Make a new identity key, and end the old one.") var newKey = false
  @OptionGroup var enrollment: EnrollmentOptions

  func run() async throws {
    try await enrollment.run(changingDevice: true) {
      let report = EnrollmentReport(enrollment.output)
      let identity = try await report.follow(try enrollment.client().renew(changingKey: newKey))
      let until = EnrollmentReport.time(identity.notAfter)
      enrollment.output.emit(
        "Renewed device \(identity.device)\(newKey ? " with a new key" : ""): certificate until \(until)", "renewed",
        ["device": .text(identity.device), "notAfter": .text(until), "newKey": .boolean(newKey)])
    }
  }
}

/// `latchkey revoke`: the end of this device.
struct RevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "End this device at the server, and delete its keys and certificate.",
    discussion: """
      Works for a device that was revoked before, too. Without the server's signed answer nothing is deleted; `latchkey forget` does \
      not ask the server. Transfers whose end is not known stay in the keychain, and are the same \
      ones after the next `latchkey enroll`.

      With --json: started (operation), revoked (device), done or error.
      """,
    examples: ["latchkey revoke"],
    statuses: .enrollment)

  @OptionGroup var enrollment: EnrollmentOptions

  func run() async throws {
    try await enrollment.run(changingDevice: true) {
      let client = try enrollment.client()
      guard let device = try await client.identity()?.device else { throw EnrollmentError.notEnrolled }
      do {
        try await EnrollmentReport(enrollment.output).follow(client.revoke())
      } catch EnrollmentError.cannotVerify(let detail) {
        throw EnrollmentError.cannotVerify("\(detail); `latchkey forget` deletes without asking the server")
      }
      enrollment.output.emit("Revoked device \(device)", "revoked", ["device": .text(device)])
    }
  }
}

/// `latchkey forget`: deletes an enrollment from the keychain without the server.
struct ForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Delete what the keychain has of an enrollment, without asking the server.",
    discussion: """
      For a server that is gone, or does not know this device any more. While the certificate lasts the server still counts the \
      device: `latchkey revoke` ends it there, too.

      With --json: forgotten (label), done or error.
      """,
    examples: ["latchkey forget"],
    statuses: .enrollment)

  @OptionGroup var enrollment: EnrollmentOptions

  func run() async throws {
    try await enrollment.run(changingDevice: true) {
      try await enrollment.client().forget()
      enrollment.output.emit(
        "Forgot the enrollment \(PrintableText.escaped(enrollment.label))", "forgotten",
        ["label": .text(enrollment.label)])
    }
  }
}
