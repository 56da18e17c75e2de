import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeyProcessEnvironment
import LatchkeySystem

/// `latchkey renew --daemon`.
struct RenewalDaemon {
  private let enrollment: EnrollmentOptions
  private let tick: TimeInterval
  private let clock: @Sendable () -> Date
  private let manager: ServiceNotification?

  /// - Parameters:
  ///   - socket: the service manager's.
  ///   - tick: how long it sleeps at most: the clock may be set, the machine may sleep, and another command may change the device meanwhile.
  ///   - clock: the time by which a renewal is due.
  init(
    _ enrollment: EnrollmentOptions, notifying socket: String? = Environment["NOTIFY_SOCKET"], tick: TimeInterval = 60,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.enrollment = enrollment
    self.tick = tick
    self.clock = clock
    manager = ServiceNotification(socket: socket)
  }

  /// Renews in time until it is canceled, or the device is no more.
  func run() async throws {
    guard var identity = try await enrollment.client().identity() else { throw EnrollmentError.notEnrolled }
    manager?.send("READY=1\n\(status(identity))")
    defer { manager?.send("STOPPING=1") }
    var schedule = RenewalSchedule()
    while true {
      try Task.checkCancellation()
      do {
        switch schedule.step(for: identity, at: clock()) {
        case .wait(let until):
          try await Task.sleep(for: .seconds(min(max(until.timeIntervalSince(clock()), 1), tick)))
          identity = try await current(identity, &schedule)
        case .renew:
          identity = try await renewed()
          schedule.succeeded(with: identity, at: clock())
          manager?.send(status(identity))
        }
      } catch let error as EnrollmentError {
        let failure = CommandFailure(error)
        guard !Self.isFinal(error) else {
          manager?.send("STATUS=\(Self.firstLine(failure))")
          throw error
        }
        let next = schedule.failed(
          at: clock(), end: identity.notAfter, jitter: .random(in: 0...1), asked: error.retryAfter)
        report(failure, next: next)
      }
    }
  }

  /// What the keychain has now: another command may have renewed the device, enrolled it again, with another server too, or ended it.
  private func current(_ known: EnrolledIdentity, _ schedule: inout RenewalSchedule) async throws -> EnrolledIdentity {
    let stored: EnrolledIdentity?
    do {
      stored = try await enrollment.client().identity()
    } catch EnrollmentError.notEnrolled {
      stored = nil
    } catch is EnrollmentError {
      // A keychain that cannot be read now is read again, at the latest when the certificate is due; then the reason is reported.
      return known
    }
    guard let stored else {
      // The turn makes sure that no other command is in the midst of a change.
      return try await enrollment.inTurnOfDevice {
        guard let identity = try await enrollment.client().identity() else { throw EnrollmentError.notEnrolled }
        return identity
      }
    }
    guard stored.serialNumber != known.serialNumber else { return known }
    schedule.succeeded(with: stored, at: clock())
    manager?.send(status(stored))
    return stored
  }

  /// The renewed identity; one that another process renewed meanwhile is not renewed again.
  private func renewed() async throws -> EnrolledIdentity {
    try await enrollment.inTurnOfDevice {
      // A client for each renewal: the device may be enrolled with another server meanwhile, and no connection is kept open in between.
      let client = try enrollment.client()
      guard let identity = try await client.identity() else { throw EnrollmentError.notEnrolled }
      guard clock() >= identity.renewalDate else { return identity }
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

  /// The status of a service is one line.
  private static func firstLine(_ failure: CommandFailure) -> Substring {
    failure.message.split(separator: "\n").first ?? ""
  }

  private func report(_ failure: CommandFailure, next: Date) {
    let time = EnrollmentReport.time(next)
    if enrollment.output.json {
      enrollment.output.emit(nil, "failed", ["message": .text(failure.message), "next": .text(time)])
    } else {
      StandardStreams.reportError("\(failure.message); the next try is on \(time)")
    }
    manager?.send("STATUS=\(Self.firstLine(failure)); the next try is on \(time)")
  }
}
