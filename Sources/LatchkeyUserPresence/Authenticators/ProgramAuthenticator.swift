import Crypto
import Glibc
public import LatchkeyKeychainModel
import LatchkeyProcessEnvironment
import LatchkeySystem

/// A user's program that authenticates the user: `program:PATH` in `LATCHKEY_PRESENCE`.
///
/// It is run as `PATH verify`, with the reason in `LATCHKEY_REASON`, and answers with its exit status: 0 recognized, 1 not
/// recognized, 2 the user canceled, 3 nothing is enrolled, 4 too many failures, anything else: unable to decide.
///
/// `PATH enrolment` prompts for nothing, writes at most 4096 bytes to standard output that change when the enrollment does, and
/// exits with 0, or with 3 or 4 as before, within 10 seconds.
///
/// It runs in its own session, without a terminal and with empty standard input. No shell is involved. Only the user and root
/// may be able to write to it, or to replace it. When the call is canceled, the program and its children are killed. The
/// result is a verdict: any process that can change the program, or this process, can forge it.
public struct ProgramAuthenticator: Authenticator {
  /// The program's path.
  public let path: String

  /// Creates an authenticator for the program at this absolute path. The file is checked at each use.
  public init(path: String) { self.path = path }

  /// "program:" and the path.
  public var name: String { "program:\(path)" }
  /// `asserted`: the result is a verdict.
  public var strength: PresenceStrength { .asserted }

  /// Verifies that the program's file is trusted, and that it reports an enrollment.
  public func checkAvailability() throws(PresenceError) { _ = try enrollmentBytes() }

  /// A digest of the enrollment that the program reports.
  public func enrollment() throws(PresenceError) -> [UInt8] {
    Array(SHA256.hash(data: Array("latchkey program enrolment\0".utf8) + (try enrollmentBytes())))
  }

  /// Runs the program to authenticate the user.
  public func authenticate(_ attempt: PresenceAttempt) throws(PresenceError) -> PresenceProof {
    if attempt.cancellation.isCancelled { throw .appCancel }
    let program = try start("verify", reason: attempt.reason, output: .discarded)
    let ending = attempt.cancellation.withHandler(onCancel: program.kill) { program.wait() }
    if attempt.cancellation.isCancelled { throw .appCancel }
    guard ending != .exited(0) else { return .asserted }
    if ending == .exited(1) { throw .authenticationFailed("\(path) did not recognize the user: try again") }
    throw refusal(ending)
  }

  private func enrollmentBytes() throws(PresenceError) -> [UInt8] {
    let program = try start("enrolment", output: .captured)
    let (bytes, ending) = program.output(maximum: Self.enrollmentMaximum, seconds: Self.enrollmentSeconds)
    guard ending == .exited(0) else { throw refusal(ending) }
    guard bytes.count <= Self.enrollmentMaximum else {
      throw .biometryNotAvailable(
        "\(path) enrolment wrote more than \(Self.enrollmentMaximum) bytes: let it write a digest")
    }
    return bytes
  }

  /// Starts the program.
  ///
  /// - Parameter reason: goes into its environment, cut where an environment's limit would be near.
  private func start(
    _ argument: String, reason: String? = nil, output: ProgramConfiguration.Output
  ) throws(PresenceError) -> SpawnedProgram {
    var environment = Environment.forPrograms
    environment["LATCHKEY_REASON"] = reason.map {
      String(decoding: $0.utf8.prefix(4096).filter { $0 != 0 }, as: UTF8.self)
    }
    let configuration = ProgramConfiguration(
      path: try executable(), arguments: [argument], environment: environment, output: output, isolation: .session)
    do throws(SystemError) {
      return try SpawnedProgram(configuration)
    } catch {
      throw .biometryNotAvailable("\(path) cannot be started (\(error.text)): start it by hand to see why")
    }
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
