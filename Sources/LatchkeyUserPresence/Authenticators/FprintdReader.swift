import LatchkeyDBus
import LatchkeyKeychainModel
import LatchkeySystem

/// fprintd's default reader (net.reactivated.Fprint.Manager and .Device, fprintd 1.94).
///
/// The bus lets any program send signals to any other. Therefore only messages from one connection are accepted: the one that
/// has replied as the owner of fprintd's name.
final class FprintdReader {
  typealias Fault = BusFault

  /// A step of a verification.
  enum Status: Hashable {
    case match
    case noMatch
    /// The reader needs another scan; `hint` is the instruction for the user.
    case retry(hint: String, isDone: Bool)
    case disconnected
    case failed(String)
  }

  private let bus: BusConnection
  private let owner: String
  private let path: String
  private let user: String
  private let wakeUp: WakeUp

  /// Finds the reader; the bus starts fprintd if it is not running.
  init(_ place: FprintdBus, user: String, wakeUp: WakeUp) throws(PresenceError) {
    let account: Int
    do throws(Fault) {
      bus = try BusConnection(address: place.address)
      let reply = try bus.call(
        Self.service, "/net/reactivated/Fprint/Manager", "net.reactivated.Fprint.Manager", "GetDefaultDevice",
        wakeUp: wakeUp, within: Self.patience)
      let values = try reply.values()
      guard let owner = reply.sender, owner.hasPrefix(":"), values.count == 1, case .path(let path) = values[0] else {
        throw .malformed("no reader in the answer to GetDefaultDevice")
      }
      // The bus never reuses a unique name, so the verified owner stays the same.
      let answer = try bus.call(
        BusConnection.daemon, "/org/freedesktop/DBus", BusConnection.daemon, "GetConnectionUnixUser", [.string(owner)],
        wakeUp: wakeUp, within: Self.patience
      ).values()
      guard answer.count == 1, case .uint32(let number) = answer[0] else {
        throw .malformed("no user in the answer to GetConnectionUnixUser")
      }
      account = Int(number)
      (self.owner, self.path, self.user, self.wakeUp) = (owner, path, user, wakeUp)
    } catch {
      throw Self.presenceError(error)
    }
    guard account == Int(place.owner) else {
      throw .biometryNotAvailable(
        "what has fprintd's name on the bus is a program of the user \(account), not root's: see which one it is, and end it"
      )
    }
  }

  /// The names of the enrolled fingers, as reported by fprintd ("right-index-finger").
  func enrolledFingers() throws(Fault) -> [String] {
    let values = try call("ListEnrolledFingers", [.string(user)]).values()
    guard values.count == 1, case .array(of: "s", let items) = values[0] else {
      throw .malformed("no list in the answer to ListEnrolledFingers")
    }
    guard items.count <= Self.maximumFingers else { throw .malformed("more fingers than a user has") }
    let fingers = items.compactMap(\.text)
    guard fingers.allSatisfy({ $0.utf8.count <= Self.maximumText }) else {
      throw .malformed("a finger with a long name")
    }
    return fingers
  }

  /// The reader's name.
  func name() throws(Fault) -> String {
    let values = try bus.call(
      owner, path, "org.freedesktop.DBus.Properties", "Get", [.string(Self.device), .string("name")], wakeUp: wakeUp,
      within: Self.patience
    ).values()
    guard values.count == 1, case .variant(.string(let name)) = values[0], name.utf8.count <= Self.maximumText else {
      throw .malformed("the reader has no name")
    }
    return name
  }

  /// Claims the reader exclusively, and subscribes to its signals.
  func claim() throws(Fault) {
    for rule in [
      "type='signal',sender='\(owner)',interface='\(Self.device)',member='VerifyStatus'",
      "type='signal',sender='\(BusConnection.daemon)',interface='\(BusConnection.daemon)',member='NameOwnerChanged',arg0='\(owner)'",
    ] { try bus.subscribe(to: rule, wakeUp: wakeUp, within: Self.patience) }
    _ = try call("Claim", [.string(user)])
  }

  /// Starts verification with any finger.
  func startVerifying() throws(Fault) { _ = try call("VerifyStart", [.string("any")]) }

  /// Receives the reader's next status.
  func status() throws(Fault) -> Status {
    for _ in 0..<Self.maximumStrangers {
      guard let message = try bus.signal(until: nil, wakeUp: wakeUp) else { continue }
      if message.isSignal(BusConnection.daemon, "NameOwnerChanged"), message.sender == BusConnection.daemon,
        try message.values().first?.text == owner
      {
        throw .noBus("fprintd has ended")
      }
      guard message.isSignal(Self.device, "VerifyStatus"), message.sender == owner, message.path == path else {
        continue
      }
      let values = try message.values()
      guard values.count == 2, case .string(let result) = values[0], case .boolean(let isDone) = values[1] else {
        throw .malformed("a VerifyStatus of other types")
      }
      if let status = Status(result, isDone: isDone) { return status }
    }
    throw .malformed("a flood of signals")
  }

  /// Ends `startVerifying`. Neither this nor ``release()`` can be canceled; fprintd also does both when the connection closes.
  func stopVerifying() { try? stop("VerifyStop") }

  /// Releases the reader.
  func release() { try? stop("Release") }

  private func call(_ member: String, _ arguments: [BusValue]) throws(Fault) -> BusMessage {
    try bus.call(owner, path, Self.device, member, arguments, wakeUp: wakeUp, within: Self.patience)
  }

  private func stop(_ member: String) throws(Fault) {
    _ = try bus.call(owner, path, Self.device, member, wakeUp: nil, within: .seconds(2))
  }

  /// Maps a fault to the caller's error.
  static func presenceError(_ fault: Fault) -> PresenceError {
    switch fault {
    case .cancelled: .appCancel
    case .noBus(let text):
      .biometryNotAvailable("fprintd cannot be reached by D-Bus (\(text)): see that dbus and fprintd run")
    case .late: .biometryNotAvailable("fprintd does not answer: restart it (systemctl restart fprintd)")
    case .malformed(let text): .biometryNotAvailable("fprintd sent \(text): see which program has its name on the bus")
    case .refused(let name, let text): presenceError(name, text)
    }
  }

  private static func presenceError(_ name: String, _ text: String) -> PresenceError {
    switch name {
    case "net.reactivated.Fprint.Error.NoEnrolledPrints":
      .biometryNotEnrolled("no finger is enrolled: run fprintd-enroll")
    case "net.reactivated.Fprint.Error.NoSuchDevice":
      .biometryNotAvailable("fprintd knows no fingerprint reader: plug one in")
    case "net.reactivated.Fprint.Error.AlreadyInUse":
      .biometryNotAvailable("another program uses the fingerprint reader: end it and try again")
    case "net.reactivated.Fprint.Error.PermissionDenied", "org.freedesktop.DBus.Error.AccessDenied":
      .biometryNotAvailable("fprintd does not let this user verify: see polkit's rules for net.reactivated.fprint")
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
      .biometryNotAvailable("fprintd is not on this system: install fprintd and start it")
    case let name where name.hasPrefix("org.freedesktop.DBus.Error.Spawn"):
      .biometryNotAvailable("fprintd cannot be started: see systemctl status fprintd")
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout",
      "org.freedesktop.DBus.Error.Disconnected", "org.freedesktop.DBus.Error.UnknownObject":
      .biometryNotAvailable("fprintd went away while it was asked: try again")
    default: .biometryNotAvailable("fprintd refused (\(PrintableText.oneLine(name.utf8)): \(text)): try again")
    }
  }

  private static let service = "net.reactivated.Fprint"
  private static let device = "net.reactivated.Fprint.Device"
  /// The default timeout of D-Bus clients.
  private static let patience = Duration.seconds(25)
  private static let maximumFingers = 64
  /// In bytes.
  private static let maximumText = 1024
  private static let maximumStrangers = 10_000
}

extension FprintdReader.Status {
  /// Parses a status of fprintd; nil for one that changes nothing.
  init?(_ result: String, isDone: Bool) {
    switch result {
    case "verify-match": self = .match
    case "verify-no-match": self = .noMatch
    case "verify-retry-scan": self = .retry(hint: "Place your finger on the reader once more", isDone: isDone)
    case "verify-swipe-too-short": self = .retry(hint: "Swipe was too short, try again", isDone: isDone)
    case "verify-finger-not-centered":
      self = .retry(hint: "Your finger was not centered, try again", isDone: isDone)
    case "verify-remove-and-retry": self = .retry(hint: "Remove your finger, and try again", isDone: isDone)
    case "verify-disconnected": self = .disconnected
    case "verify-unknown-error": self = .failed("an error of the reader")
    default:
      guard isDone else { return nil }
      self = .failed("an unknown status")
    }
  }
}
