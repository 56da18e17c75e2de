import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeyProcessEnvironment
import LatchkeySystem

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
      minute and longer, up to an hour. It ends by itself if the device was revoked or forgotten. It reports to systemd where \
      NOTIFY_SOCKET is set. The service latchkey-renew and its timer run this command once an hour.

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

/// `latchkey renew --daemon`.
struct RenewalDaemon {
  /// How long it sleeps at most: the clock may be set, and the machine may sleep, meanwhile.
  private static let tick: TimeInterval = 60

  private let enrollment: EnrollmentOptions
  private let manager = ServiceNotification(socket: Environment["NOTIFY_SOCKET"])

  init(_ enrollment: EnrollmentOptions) { self.enrollment = enrollment }

  /// Renews in time until it is canceled, or the device is no more.
  func run() async throws {
    let client = try enrollment.client()
    guard var identity = try await client.identity() else { throw EnrollmentError.notEnrolled }
    var schedule = RenewalSchedule()
    manager?.send("READY=1\n\(status(identity))")
    while true {
      try Task.checkCancellation()
      switch schedule.step(for: identity, at: Date()) {
      case .wait(let until):
        try await Task.sleep(for: .seconds(min(max(until.timeIntervalSince(Date()), 1), Self.tick)))
      case .renew:
        do {
          identity = try await renewed(client)
          schedule.succeeded()
          manager?.send(status(identity))
        } catch let error as EnrollmentError where Self.isFinal(error) {
          manager?.send("STATUS=\(CommandFailure(error).message)\nSTOPPING=1")
          throw error
        } catch let error as EnrollmentError {
          let next = schedule.failed(at: Date(), end: identity.notAfter, jitter: .random(in: 0...1))
          report(CommandFailure(error), next: next)
        }
      }
    }
  }

  /// The renewed identity; one that another process renewed meanwhile is not renewed again.
  private func renewed(_ client: EnrollmentClient) async throws -> EnrolledIdentity {
    try await enrollment.inTurnOfDevice {
      guard let identity = try await client.identity() else { throw EnrollmentError.notEnrolled }
      guard Date() >= identity.renewalDate else { return identity }
      let report = EnrollmentReport(enrollment.output)
      let new = try await report.follow(client.renew())
      report.renewed(new, newKey: false)
      return new
    }
  }

  /// Whether no later try can succeed: there is no device any more, here or there.
  private static func isFinal(_ error: EnrollmentError) -> Bool {
    switch error {
    case .notEnrolled: true
    case .problem(let problem): problem.code == .revoked
    default: false
    }
  }

  private func status(_ identity: EnrolledIdentity) -> String {
    "STATUS=certificate until \(EnrollmentReport.time(identity.notAfter)), due on \(EnrollmentReport.time(identity.renewalDate))"
  }

  private func report(_ failure: CommandFailure, next: Date) {
    let time = EnrollmentReport.time(next)
    if enrollment.output.json {
      enrollment.output.emit(nil, "failed", ["message": .text(failure.message), "next": .text(time)])
    } else {
      StandardStreams.reportError("\(failure.message); the next try is on \(time)")
    }
    manager?.send("STATUS=\(failure.message.split(separator: "\n").first ?? ""); the next try is on \(time)")
  }
}
