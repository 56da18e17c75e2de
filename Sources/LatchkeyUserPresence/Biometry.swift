import Crypto
import LatchkeyKeychainModel
import Synchronization

/// The authenticators that count as biometry, and their state in this process: the number of consecutive failures, and the time
/// of the last success.
final class Biometry: Sendable {
  /// The number of consecutive failures after which the passcode is required.
  static let maximumFailures = 5
  /// The limit on reuse of a biometric success for other contexts' policies, in seconds.
  static let maximumReuse = 300.0
  /// Returns the names of the accepted authenticators (``KeychainPresence/admitted``); nil: all configured ones.
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

  /// The configured authenticators' stored names.
  var storedNames: [String] { authenticators.map(\.storedName) }
  var names: [String] { ((try? candidates()) ?? []).map(\.name) }
  /// Whether an accepted authenticator is configured. Also true if the accepted names cannot be read, so that authentication
  /// reports the cause.
  var isConfigured: Bool {
    guard let candidates = try? candidates() else { return !authenticators.isEmpty }
    return !candidates.isEmpty
  }

  /// The error text if there is no authenticator.
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

  /// The accepted configured authenticators, in the order of the configuration.
  private func candidates() throws(StoreError) -> [any Authenticator] {
    guard let admitted = try admission() else { return authenticators }
    return authenticators.filter { admitted.contains($0.storedName) }
  }
  var isLockedOut: Bool { state.withLock { $0.failures >= Self.maximumFailures } }

  /// Returns the authenticator to use now: the first that is available.
  ///
  /// - Throws: `.biometryNotAvailable` without any; `.biometryLockout`; if none is available, the first one's error.
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

  /// Verifies that an authenticator is available, now or after the right passcode. Never prompts.
  ///
  /// - Throws: as ``available()``, except for a lockout, which is temporary.
  func checkEnrolled() throws(PresenceError) {
    do {
      _ = try available()
    } catch {
      if case .biometryLockout = error { return }
      throw error
    }
  }

  /// Authenticates with the available authenticators, and returns the stored name of the one that succeeded.
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
    // After a cancellation the verdict is discarded.
    if attempt.cancellation.isCancelled { throw .appCancel }
    let now = now()
    state.withLock { state in
      // A lockout by concurrent failures stays: only the passcode ends it.
      if state.failures < Self.maximumFailures { state.failures = 0 }
      state.lastSuccess = now
    }
    return authenticator.storedName
  }

  /// Ends a lockout after the right passcode.
  func forgetFailures() { state.withLock { $0.failures = 0 } }

  /// Whether an authentication succeeded in the last `seconds`, capped at 300.
  func hasSucceeded(within seconds: Double) -> Bool {
    guard seconds > 0, let last = state.withLock({ $0.lastSuccess }) else { return false }
    return now() - last <= min(seconds, Self.maximumReuse)
  }

  /// Forgets the last success, because the keychain was locked.
  func forgetSuccess() { state.withLock { $0.lastSuccess = nil } }

  /// A digest of the enrollments of all accepted authenticators, whether the environment selects them or not: the names, and
  /// for each its own digest, or that nothing is enrolled. If one cannot report its enrollment, the whole is unknown, since
  /// that enrollment counts too.
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

  /// All accepted authenticators, in the order in which the keychain names them.
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

  /// Hashes a part after its length, so that different lists of parts never have the same encoding.
  private static func update(_ hash: inout SHA256, _ part: [UInt8]?) {
    let count = part.map { UInt64($0.count) } ?? .max
    hash.update(data: (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) })
    if let part { hash.update(data: part) }
  }
}
