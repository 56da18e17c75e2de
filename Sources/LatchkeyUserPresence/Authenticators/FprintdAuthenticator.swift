import Crypto
import LatchkeyDBus
public import LatchkeyKeychainModel
import LatchkeySystem

/// The fingerprint reader, through fprintd: `fprintd` in `LATCHKEY_PRESENCE`.
///
/// The result is a verdict, not a key: root, and any process that can modify this one, can forge it. fprintd is called only on
/// the system bus, regardless of `DBUS_SYSTEM_BUS_ADDRESS`, and its reply is accepted only if the bus reports its process as
/// root's. It lists enrolled fingers only by name: ``enrollment()`` does not change when the same finger is enrolled again. It
/// was tested against a double of fprintd's interface, not with a reader.
public struct FprintdAuthenticator: Authenticator {
  private let bus: FprintdBus
  private let user: String

  /// Creates an authenticator for fprintd on the system bus.
  ///
  /// - Parameter user: the owner of the fingers; empty: the user who runs the process. Other users' fingers need a polkit
  ///   permission.
  public init(user: String = "") { self.init(on: .system, user: user) }

  /// Creates an authenticator for fprintd on another bus, for tests.
  package init(on bus: FprintdBus, user: String = "") {
    self.bus = bus
    self.user = user
  }

  /// "fprintd".
  public var name: String { "fprintd" }
  /// `asserted`: the result is a verdict.
  public var strength: PresenceStrength { .asserted }

  /// Verifies that a reader and an enrolled finger exist. Starts fprintd if necessary.
  public func checkAvailability() throws(PresenceError) {
    let reader = try FprintdReader(bus, user: user, wakeUp: try Self.wakeUp())
    _ = try Self.fingers(reader)
  }

  /// A digest of the reader's name and the enrolled fingers' names.
  public func enrollment() throws(PresenceError) -> [UInt8] {
    let reader = try FprintdReader(bus, user: user, wakeUp: try Self.wakeUp())
    let fingers = try Self.fingers(reader)
    var name = ""
    do throws(FprintdReader.Fault) { name = try reader.name() } catch { throw FprintdReader.presenceError(error) }
    // Names contain no zero bytes, because D-Bus strings cannot.
    let text = (["latchkey fprintd enrolment", name] + fingers.sorted()).joined(separator: "\0")
    return Array(SHA256.hash(data: Array(text.utf8)))
  }

  /// Prompts for a finger. There is one attempt: an unknown finger ends it; a bad scan does not.
  public func authenticate(_ attempt: PresenceAttempt) throws(PresenceError) -> PresenceProof {
    if attempt.cancellation.isCancelled { throw .appCancel }
    let wakeUp = try Self.wakeUp()
    return try attempt.cancellation.withHandler(onCancel: wakeUp.signal) { () throws(PresenceError) in
      let reader = try FprintdReader(bus, user: user, wakeUp: wakeUp)
      let refusal: PresenceError?
      do throws(FprintdReader.Fault) {
        // Also after a call that was canceled before its reply: fprintd may have executed it.
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

  private static func wakeUp() throws(PresenceError) -> WakeUp {
    do throws(SystemError) {
      return try WakeUp()
    } catch {
      throw .biometryNotAvailable(
        "the program has no descriptor left (\(error.text)): let it open fewer files")
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
        case .failed(let text): return .biometryNotAvailable("fprintd reported \(text): try again")
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

/// The bus of fprintd, and the user that must own its process.
package struct FprintdBus: Hashable, Sendable {
  /// The bus in D-Bus's address syntax.
  package let address: String
  /// The user ID whose process must own fprintd's name.
  package let owner: UInt32

  /// Creates a bus at this address, with fprintd as a process of this user.
  package init(address: String, owner: UInt32) {
    self.address = address
    self.owner = owner
  }

  /// The system bus at the address fixed by the D-Bus specification ("Well-known Message Bus Instances"). On any other bus,
  /// another process could pose as fprintd.
  static let system = FprintdBus(address: BusConnection.systemAddress, owner: 0)
}

extension FprintdAuthenticator: NamedAuthenticator {
  /// Another user's fingers, and another bus, count as a different authenticator.
  var fixedName: String {
    if bus == .system, user.isEmpty { return "fprintd" }
    return bus == .system ? "code:fprintd of \(user)" : "code:fprintd at \(bus.address) of \(user)"
  }
}
