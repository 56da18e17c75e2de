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
      the one that was registered: another one under its label approves nothing. *Due* is when `latchkey renew` renews; The certificate's \
      validity begins a few minutes before the last enrollment or renewal.

      With --json: enrollment (server, user, device, serial, notBefore, notAfter, due, isValid, label, keyPlace (enclave, keychain), \
      isChangingKey, hasApprovalKey, approvalKeyState \
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
      let (from, due) = (EnrollmentReport.time(identity.notBefore), EnrollmentReport.time(identity.renewalDate))
      let isValid = identity.isValid(at: Date())
      let isChanging = try await client.isChangingKey()
      let place = identity.isKeyInEnclave ? "enclave" : "keychain"
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
        certificate   \(isValid ? "until" : "ended at") \(until), from \(from), due \(due), serial \(identity.serialNumber)
        identity key  in the \(place)\(isChanging ? "; a change is not finished: `latchkey renew\(option)` finishes it" : "")
        approval key  \(approvalKey)
        transfers     \(pending == 0 ? "none is open" : "\(pending) whose end is not known: `latchkey transfer --pending`")
        """, "enrollment",
        [
          "server": .text("\(client.configuration.server)"), "user": .text(identity.user),
          "device": .text(identity.device), "serial": .text(identity.serialNumber), "notBefore": .text(from),
          "notAfter": .text(until), "due": .text(due), "isValid": .boolean(isValid),
          "label": .text(client.configuration.label), "keyPlace": .text(place), "isChangingKey": .boolean(isChanging),
          "hasApprovalKey": .boolean(identity.hasApprovalKey),
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

/// `latchkey revoke`: the end of this device.
struct RevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "End this device at the server, and delete its keys and certificate.",
    discussion: """
      Works for a device that was revoked before, too. Without the server's signed answer nothing is deleted; `latchkey forget` does \
      not ask the server. Transfers whose end is not known stay in the keychain, and are the same \
      ones after the next `latchkey enroll`.

      With --json: started (operation), revoked (device; null if an earlier revocation ended while it deleted), done or error.
      """,
    examples: ["latchkey revoke"],
    statuses: .enrollment)

  @OptionGroup var enrollment: EnrollmentOptions

  func run() async throws {
    try await enrollment.run(changingDevice: true) {
      let client = try enrollment.client()
      // Not there any more if an earlier revocation was interrupted while it deleted.
      let device = try await client.identity()?.device
      do {
        try await EnrollmentReport(enrollment.output).follow(client.revoke())
      } catch EnrollmentError.cannotVerify(let detail) {
        throw EnrollmentError.cannotVerify("\(detail); `latchkey forget` deletes without asking the server")
      }
      enrollment.output.emit(
        device.map { "Revoked device \($0)" } ?? "Deleted what was left of the revoked device", "revoked",
        ["device": device.map { .text($0) } ?? .null])
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
      device: `latchkey revoke` ends it there, too. So a certificate that still counts is deleted with --force alone.

      With --json: forgotten (label), done or error.
      """,
    examples: ["latchkey forget --force"],
    statuses: .enrollment)

  @Flag(help: "Forget a device whose certificate still counts, too.") var force = false
  @OptionGroup var enrollment: EnrollmentOptions

  func run() async throws {
    try await enrollment.run(changingDevice: true) {
      let client = try enrollment.client()
      if !force, let identity = try await client.identity(), identity.isValid(at: Date()) {
        throw CommandFailure(
          .notPermitted, code: "stillCounts",
          "the server counts device \(identity.device) until \(EnrollmentReport.time(identity.notAfter)): `latchkey "
            + "revoke\(client.configuration.labelOption)` ends it there and here; --force forgets it here alone")
      }
      try await client.forget()
      enrollment.output.emit(
        "Forgot the enrollment \(PrintableText.escaped(enrollment.label))", "forgotten",
        ["label": .text(enrollment.label)])
    }
  }
}
