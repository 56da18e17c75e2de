import Crypto
public import LatchkeyKeychainModel

/// The fingerprint reader, through fprintd: `fprintd` in `LATCHKEY_PRESENCE`.
///
/// fprintd's word is a verdict: root, and anyone who can change this process decide. It is asked on the system's bus alone,
/// whatever `DBUS_SYSTEM_BUS_ADDRESS` says, and believed only if the bus knows its process as root's. It says which fingers are enrolled by name alone: ``enrollment()`` does not change when the same finger is
/// enrolled anew. It was run against a double of fprintd's interface, not with a reader.
public struct FprintdAuthenticator: Authenticator {
  private let bus: FprintdBus
  private let user: String

  /// fprintd on the system's bus.
  ///
  /// - Parameter user: whose fingers; empty: those of the user who runs the process. Others' need a permission by polkit.
  public init(user: String = "") { self.init(on: .system, user: user) }

  /// fprintd on another bus: for tests.
  package init(on bus: FprintdBus, user: String = "") {
    self.bus = bus
    self.user = user
  }

  /// "fprintd".
  public var name: String { "fprintd" }
  /// A verdict.
  public var strength: PresenceStrength { .asserted }

  /// Whether there are a reader and an enrolled finger. fprintd is started if need be.
  public func checkAvailability() throws(PresenceError) {
    let reader = try FprintdReader(bus, user: user, wakeUp: try WakeUp())
    _ = try Self.fingers(reader)
  }

  /// A digest of the reader's name and the enrolled fingers' names.
  public func enrollment() throws(PresenceError) -> [UInt8] {
    let reader = try FprintdReader(bus, user: user, wakeUp: try WakeUp())
    let fingers = try Self.fingers(reader)
    var name = ""
    do throws(FprintdReader.Fault) { name = try reader.name() } catch { throw FprintdReader.presenceError(error) }
    // Names have no zero bytes: D-Bus's texts cannot.
    let text = (["latchkey fprintd enrolment", name] + fingers.sorted()).joined(separator: "\0")
    return Array(SHA256.hash(data: Array(text.utf8)))
  }

  /// Asks for a finger. One try: a finger that is not enrolled ends it; a bad scan does not.
  public func authenticate(_ attempt: PresenceAttempt) throws(PresenceError) -> PresenceProof {
    if attempt.cancellation.isCancelled { throw .appCancel }
    let wakeUp = try WakeUp()
    return try attempt.cancellation.withHandler(onCancel: wakeUp.signal) { () throws(PresenceError) in
      let reader = try FprintdReader(bus, user: user, wakeUp: wakeUp)
      let refusal: PresenceError?
      do throws(FprintdReader.Fault) {
        // Also after a call that was cancelled before its answer came: fprintd may have done it.
        defer { reader.release() }
        try reader.claim()
        refusal = try Self.verify(reader, attempt)
      } catch {
        refusal = FprintdReader.presenceError(error)
      }
      if attempt.cancellation.isCancelled { throw .appCancel }
      if let refusal { throw refusal }
      return .asserted
    }
  }

  /// Why the finger was not recognized; nil: it was.
  private static func verify(
    _ reader: FprintdReader, _ attempt: PresenceAttempt
  ) throws(FprintdReader.Fault) -> PresenceError? {
    attempt.prompter?.show("\(attempt.reason): place your finger on the reader")
    for _ in 0..<maximumStarts {
      defer { reader.stopVerifying() }
      try reader.startVerifying()
      scans: for _ in 0..<maximumRetries {
        switch try reader.status() {
        case .match: return nil
        case .noMatch: return .authenticationFailed("the finger was not recognized: try again")
        case .disconnected: return .biometryNotAvailable("the fingerprint reader was unplugged: plug it in again")
        case .failed(let text): return .biometryNotAvailable("fprintd told of \(text): try again")
        case .retry(let hint, let isDone):
          attempt.prompter?.show(hint)
          if isDone { break scans }
        }
      }
    }
    return .authenticationFailed("the reader could not read the finger: clean it and try again")
  }

  private static func fingers(_ reader: FprintdReader) throws(PresenceError) -> [String] {
    let fingers: [String]
    do throws(FprintdReader.Fault) {
      fingers = try reader.enrolledFingers()
    } catch {
      throw FprintdReader.presenceError(error)
    }
    guard !fingers.isEmpty else { throw .biometryNotEnrolled("no finger is enrolled: run fprintd-enroll") }
    return fingers
  }

  private static let maximumStarts = 10
  private static let maximumRetries = 20
}

/// Where fprintd is looked for, and whose process it must be.
package struct FprintdBus: Hashable, Sendable {
  /// D-Bus's way to name a bus.
  package let address: String
  /// The user whose process must own fprintd's name.
  package let owner: UInt32

  /// The bus at this address, fprintd a process of this user.
  package init(address: String, owner: UInt32) {
    self.address = address
    self.owner = owner
  }

  /// The system's, at the place that D-Bus's specification fixes for it ("Well-known Message Bus Instances"). Another bus
  /// than this could have anybody as fprintd.
  static let system = FprintdBus(address: "unix:path=/run/dbus/system_bus_socket", owner: 0)
}

extension FprintdAuthenticator: NamedAuthenticator {
  /// Another user's fingers, and another bus, are somebody else's word.
  var fixedName: String {
    if bus == .system, user.isEmpty { return "fprintd" }
    return bus == .system ? "code:fprintd of \(user)" : "code:fprintd at \(bus.address) of \(user)"
  }
}
