import LatchkeyCommandLine
import LatchkeyEnrollment

extension EnrollmentTurn {
  /// Runs `body` while no other command has the turn of this name for the keychain; waits for it, and reports the wait.
  ///
  /// - Parameters:
  ///   - keychain: where the keychain is; nil for one that no other process has.
  ///   - occupation: what another process does meanwhile, as `PROCESS is …`.
  static func run<R>(
    _ name: String, of keychain: String?, while occupation: String, _ body: () async throws -> R
  ) async throws -> R {
    try await run(name, of: keychain, waiting: { reportWait(for: occupation) }, body)
  }

  /// Reports that the command waits for another process, which `occupation` names as above.
  static func reportWait(for occupation: String) {
    StandardStreams.reportError("another latchkey \(occupation) with this keychain: waiting for its end")
  }
}
