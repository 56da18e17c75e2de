import Crypto
import Glibc
public import LatchkeyKeychainModel

/// A program of the user's that says whether the user is there: `program:PATH` in `LATCHKEY_PRESENCE`.
///
/// It is run as `PATH verify`, with the reason in `LATCHKEY_REASON`, and answers with its exit status: 0 yes, 1 no,
/// 2 the user cancelled, 3 nothing is enrolled, 4 too many failures, anything else: it cannot tell. `PATH enrolment` asks
/// nobody, writes at most 4096 bytes to standard output that change when what is enrolled does, and ends with 0, or with
/// 3 or 4 as before, within 10 seconds.
///
/// It runs in a session of its own, without a terminal and with nothing to read on standard input. No shell is between.
/// Only the user and root may be able to write to it, or to put another in its place. When the call is cancelled, it is
/// killed, and what it has started with it. Its word is a verdict: anyone who can change it, or this process, decides.
public struct ProgramAuthenticator: Authenticator {
  /// Where the program is.
  public let path: String

  /// The program at this absolute path. It is looked at when it is asked.
  public init(path: String) { self.path = path }

  /// "program:" and the path.
  public var name: String { "program:\(path)" }
  /// A verdict.
  public var strength: PresenceStrength { .asserted }

  /// Whether the program is one to be trusted, and says that something is enrolled.
  public func checkAvailability() throws(PresenceError) { _ = try enrollmentBytes() }

  /// A digest of what the program tells of what is enrolled.
  public func enrollment() throws(PresenceError) -> [UInt8] {
    Array(SHA256.hash(data: Array("latchkey program enrolment\0".utf8) + (try enrollmentBytes())))
  }

  /// Asks the program.
  public func authenticate(_ attempt: PresenceAttempt) throws(PresenceError) -> PresenceProof {
    if attempt.cancellation.isCancelled { throw .appCancel }
    let program = try SpawnedProgram(
      path: try executable(), arguments: ["verify"], reason: attempt.reason, keepsOutput: false)
    let ending = attempt.cancellation.withHandler(onCancel: program.kill) { program.wait() }
    if attempt.cancellation.isCancelled { throw .appCancel }
    guard ending != .exited(0) else { return .asserted }
    if ending == .exited(1) { throw .authenticationFailed("\(path) did not recognize the user: try again") }
    throw refusal(ending)
  }

  private func enrollmentBytes() throws(PresenceError) -> [UInt8] {
    let program = try SpawnedProgram(path: try executable(), arguments: ["enrolment"], reason: nil, keepsOutput: true)
    let (bytes, ending) = program.output(maximum: Self.enrollmentMaximum, seconds: Self.enrollmentSeconds)
    guard ending == .exited(0) else { throw refusal(ending) }
    guard bytes.count <= Self.enrollmentMaximum else {
      throw .biometryNotAvailable(
        "\(path) enrolment wrote more than \(Self.enrollmentMaximum) bytes: let it write a digest")
    }
    return bytes
  }

  private func executable() throws(PresenceError) -> String {
    let resolved = try TrustedFile(path: path, what: "program").checked()
    guard access(resolved, X_OK) == 0 else {
      throw .biometryNotAvailable("the program \(path) cannot be run: run chmod u+x \(path)")
    }
    return resolved
  }

  private func refusal(_ ending: SpawnedProgram.Ending) -> PresenceError {
    switch ending {
    case .exited(2): .userCancel
    case .exited(3): .biometryNotEnrolled("\(path) says that nothing is enrolled: enroll something there")
    case .exited(4): .biometryLockout("\(path) says that there were too many failures: give the passcode")
    case .exited(let code): .biometryNotAvailable("\(path) ended with status \(code): look at what it wrote")
    case .killed(let signal):
      .biometryNotAvailable("\(path) was ended by signal \(signal): start it by hand to see why")
    case .late: .biometryNotAvailable("\(path) took more than \(Self.enrollmentSeconds) seconds: let it ask nobody")
    case .unknown:
      .biometryNotAvailable("how \(path) ended is not known: the program must not ignore SIGCHLD")
    }
  }

  private static let enrollmentMaximum = 4096
  private static let enrollmentSeconds = 10
}
