import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment

/// `latchkey renew`: another certificate, and another key if that is wanted.
struct RenewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "renew",
    abstract: "Renew this device's certificate when it is due.",
    discussion: """
      Due is a certificate of which two thirds of the life have passed, or a little less: how much is drawn from the certificate, so that \
      devices do not all come at once. Otherwise nothing is sent, unless --force or --rotate-key is given. After the certificate's end \
      the identity key alone proves the device, for as long as the server's operator grants (`latchkey-server serve --renew-after-expiry`).

      With --rotate-key the identity key is changed, too: the server ends every certificate of the old key in the same moment, so anyone \
      who stole it has nothing. The old key is deleted when the server has accepted a request over the new certificate; a change that was \
      interrupted is finished by the next command.

      With --daemon the command stays, and renews in time, until SIGINT or SIGTERM ends it with 0. What fails is tried again after half a \
      minute and longer, up to an hour; where the server asks for more time (Retry-After), after that, but a day at most, or half of what is \
      left of the certificate. What another command changes, a new certificate or another enrollment, it sees within a minute. It \
      ends by itself if the device was revoked or forgotten. It reports to systemd where NOTIFY_SOCKET is set. The service latchkey-renew and \
      its timer run this command once an hour.

      With --json: started (operation), renewed (device, notAfter, newKey), notDue (device, notAfter, due), failed (message, next), \
      done or error.
      """,
    examples: ["latchkey renew", "latchkey renew --rotate-key", "latchkey renew --daemon"],
    statuses: .enrollment)

  @Flag(help: "Renew now, due or not.") var force = false
  @Flag(
    name: [.customLong("rotate-key"), .customLong("new-key")],
    help: "Renew now with a new identity key, and end the old one.") var rotateKey = false
  @Flag(help: "Stay, and renew in time.") var daemon = false
  @OptionGroup var enrollment: EnrollmentOptions

  func validate() throws {
    guard !daemon || !(force || rotateKey) else {
      throw ValidationError("--daemon renews when it is due: give --force or --rotate-key to a command of its own")
    }
  }

  func run() async throws {
    guard !daemon else {
      return try await enrollment.run(endsBySignal: true) {
        do { try await RenewalDaemon(enrollment).run() } catch is CancellationError {}
      }
    }
    try await enrollment.run(changingDevice: true) {
      let client = try enrollment.client()
      guard let identity = try await client.identity() else { throw EnrollmentError.notEnrolled }
      guard force || rotateKey || Date() >= identity.renewalDate else {
        let (until, due) = (EnrollmentReport.time(identity.notAfter), EnrollmentReport.time(identity.renewalDate))
        return enrollment.output.emit(
          "The certificate of device \(identity.device) counts until \(until), and is due on \(due): --force renews it now",
          "notDue", ["device": .text(identity.device), "notAfter": .text(until), "due": .text(due)])
      }
      let report = EnrollmentReport(enrollment.output)
      report.renewed(try await report.follow(client.renew(changingKey: rotateKey)), newKey: rotateKey)
    }
  }
}
