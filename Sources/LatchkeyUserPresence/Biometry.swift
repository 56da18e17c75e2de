import Crypto
import LatchkeyKeychainModel
import Synchronization

/// The authenticators that count as biometry, and what is known of them in this process: how often in a row they recognized
/// nobody, and when they last recognized somebody.
final class Biometry: Sendable {
  /// So many failures in a row, and the passcode must be given first.
  static let maximumFailures = 5
  /// The longest time for which biometry once given counts for other contexts' policies, in seconds.
  static let maximumReuse = 300.0
  /// The names of those who may vouch (``KeychainPresence/admitted``); nil: those who are configured.
  typealias Admission = @Sendable () throws(StoreError) -> [String]?

  private let authenticators: [any Authenticator]
  private let admission: Admission
  private let now: @Sendable () -> Double
  private let state = Mutex(State())

  private struct State {
    var failures = 0
    var lastSuccess: Double?
  }

  init(
    _ authenticators: [any Authenticator], admission: @escaping Admission = { () throws(StoreError) in nil },
    now: @escaping @Sendable () -> Double
  ) {
    self.authenticators = authenticators
    self.admission = admission
    self.now = now
  }

  /// Those who are configured, by the names that keychains keep.
  var storedNames: [String] { authenticators.map(\.storedName) }
  var names: [String] { ((try? candidates()) ?? []).map(\.name) }
  /// Whether somebody is configured who may vouch; also where it cannot be told who may, which asking tells.
  var isConfigured: Bool {
    guard let candidates = try? candidates() else { return !authenticators.isEmpty }
    return !candidates.isEmpty
  }

  /// What to say where there is nobody to ask.
  var absence: String {
    let admitted = (try? admission()) ?? nil
    guard !authenticators.isEmpty, let admitted else {
      return "biometry is wanted and none is configured: set LATCHKEY_PRESENCE to a comma list of "
        + (admitted.map { "those who may vouch here, \($0.joined(separator: ", "))" }
          ?? "fprintd, pam:SERVICE and program:PATH")
    }
    return "\(storedNames.joined(separator: ", ")) may not vouch for this keychain's user, "
      + (admitted.isEmpty ? "and nobody may" : "\(admitted.joined(separator: ", ")) may")
      + ": set LATCHKEY_PRESENCE to one of those, or change who may with latchkey keychain presence"
  }

  /// Those who are configured and may vouch, in the order of the configuration.
  private func candidates() throws(StoreError) -> [any Authenticator] {
    guard let admitted = try admission() else { return authenticators }
    return authenticators.filter { admitted.contains($0.storedName) }
  }
  var isLockedOut: Bool { state.withLock { $0.failures >= Self.maximumFailures } }

  /// Who would be asked now: the first that is available.
  ///
  /// - Throws: `.biometryNotAvailable` without any; `.biometryLockout`; where none is available, what the first one says.
  func available() throws(PresenceError) -> any Authenticator {
    let authenticators: [any Authenticator]
    do throws(StoreError) { authenticators = try candidates() } catch { throw PresenceError(error) }
    guard !authenticators.isEmpty else { throw .biometryNotAvailable(absence) }
    guard !isLockedOut else {
      throw .biometryLockout("biometry failed \(Self.maximumFailures) times in a row: give the passcode first")
    }
    var first: PresenceError?
    for authenticator in authenticators {
      do {
        try authenticator.checkAvailability()
        return authenticator
      } catch {
        first = first ?? error
      }
    }
    throw first ?? .biometryNotAvailable(absence)
  }

  /// Whether somebody is there who can be asked, now or once the passcode was right. Nobody is asked.
  ///
  /// - Throws: as ``available()``, but for a lockout, which passes.
  func checkEnrolled() throws(PresenceError) {
    do {
      _ = try available()
    } catch {
      if case .biometryLockout = error { return }
      throw error
    }
  }

  /// Asks those who are available, and tells who it was by its stored name.
  ///
  /// - Throws: as ``available()`` and `Authenticator.authenticate`.
  func authenticate(_ attempt: PresenceAttempt) throws(PresenceError) -> String {
    let authenticator = try available()
    do {
      _ = try authenticator.authenticate(attempt)
    } catch {
      if case .authenticationFailed = error {
        state.withLock { $0.failures = min($0.failures + 1, Self.maximumFailures) }
      }
      throw error
    }
    // Who has cancelled does not want the verdict any more.
    if attempt.cancellation.isCancelled { throw .appCancel }
    let now = now()
    state.withLock { state in
      // Failures that came meanwhile from elsewhere and locked it out stay: only the passcode takes those away.
      if state.failures < Self.maximumFailures { state.failures = 0 }
      state.lastSuccess = now
    }
    return authenticator.storedName
  }

  /// The passcode was right: biometry counts again.
  func forgetFailures() { state.withLock { $0.failures = 0 } }

  /// Whether somebody was recognized in the last `seconds`, of which 300 count at most.
  func hasSucceeded(within seconds: Double) -> Bool {
    guard seconds > 0, let last = state.withLock({ $0.lastSuccess }) else { return false }
    return now() - last <= min(seconds, Self.maximumReuse)
  }

  /// The keychain was locked: nobody was recognized since.
  func forgetSuccess() { state.withLock { $0.lastSuccess = nil } }

  /// A digest of what is enrolled with all who may vouch, whether the environment chooses them or not: names, and of each
  /// its own digest, or that nothing is enrolled. One that cannot tell makes the whole unknown, since what it has enrolled
  /// counts.
  ///
  /// - Throws: `.biometryNotAvailable`; `.biometryNotEnrolled` if nothing is enrolled with any of them.
  func enrollment() throws(PresenceError) -> [UInt8] {
    let authenticators = try everyone()
    guard !authenticators.isEmpty else { throw .biometryNotAvailable(absence) }
    var hash = SHA256()
    var missing: PresenceError?
    var isAnyEnrolled = false
    for authenticator in authenticators {
      var enrolled: [UInt8]?
      do {
        enrolled = try authenticator.enrollment()
        isAnyEnrolled = true
      } catch .biometryNotEnrolled(let text) {
        missing = missing ?? .biometryNotEnrolled(text)
      } catch {
        throw error
      }
      Self.update(&hash, Array(authenticator.name.utf8))
      Self.update(&hash, enrolled)
    }
    if !isAnyEnrolled, let missing { throw missing }
    return Array(hash.finalize())
  }

  /// All who may vouch, in the order in which the keychain names them.
  private func everyone() throws(PresenceError) -> [any Authenticator] {
    let admitted: [String]?
    do throws(StoreError) { admitted = try admission() } catch { throw PresenceError(error) }
    guard let admitted else { return authenticators }
    var everyone: [any Authenticator] = []
    for name in admitted {
      guard
        let authenticator = authenticators.first(where: { $0.storedName == name })
          ?? (try? PresenceSettings.Source(name))?.authenticator
      else {
        throw .biometryNotAvailable("\(name) may vouch for this keychain's user, and is not known to this program")
      }
      everyone.append(authenticator)
    }
    return everyone
  }

  /// A part with its length before it, so that no two lists of parts are the same bytes.
  private static func update(_ hash: inout SHA256, _ part: [UInt8]?) {
    let count = part.map { UInt64($0.count) } ?? .max
    hash.update(data: (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) })
    if let part { hash.update(data: part) }
  }
}
