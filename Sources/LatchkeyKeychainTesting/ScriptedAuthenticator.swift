import Dispatch
public import LatchkeyKeychainModel
import Synchronization

/// Biometry for tests: it returns the test's scripted verdicts, and counts its requests. Only this module contains it, so that
/// no program uses it by mistake.
///
/// ```swift
/// let finger = ScriptedAuthenticator([.recognized, .fails(.userCancel)])
/// let keychain = try TemporaryKeychain(passcode: "1234", biometry: [finger])
/// let session = try #require(keychain.database.presence).makeSession()
/// try session.evaluate(.biometry, reason: "to test")
/// #expect(finger.timesAsked == 1)
///
/// finger.enrolled = Array("another finger".utf8)  // keys of biometryCurrentSet are invalid from here on
/// ```
///
/// To test events during a request, hold the answer back:
///
/// ```swift
/// finger.block()
/// let thread = Thread { try? session.evaluate(.biometry, reason: "to test") }
/// thread.start()
/// finger.waitUntilAsked()
/// session.invalidate()  // the call in the thread ends: `.appCancel`
/// ```
public final class ScriptedAuthenticator: Authenticator {
  /// A scripted verdict.
  public enum Verdict: Hashable, Sendable {
    /// The user was recognized.
    case recognized
    /// The user was not recognized, or another event ended the request.
    case fails(PresenceError)

    /// A refusal: another person was not recognized.
    public static let refused = Verdict.fails(.authenticationFailed("not recognized"))
  }

  /// The name in messages.
  public let name: String
  /// The proof is a verdict, not key material.
  public let strength = PresenceStrength.asserted

  private struct State {
    var verdicts: [Verdict]
    var otherwise: Verdict
    var enrolled: [UInt8]?
    var unavailability: PresenceError?
    var reasons: [String] = []
    var isBlocking = false
    var blocked: [DispatchSemaphore] = []
    var watchers: [(times: Int, semaphore: DispatchSemaphore)] = []
  }
  private let state: Mutex<State>

  /// - Parameters:
  ///   - verdicts: the verdicts, in order.
  ///   - otherwise: the verdict after those.
  ///   - enrolled: the enrollment, any bytes; nil for none.
  public init(
    name: String = "scripted", _ verdicts: [Verdict] = [], otherwise: Verdict = .recognized,
    enrolled: [UInt8]? = Array("a finger".utf8)
  ) {
    self.name = name
    state = Mutex(State(verdicts: verdicts, otherwise: otherwise, enrolled: enrolled))
  }

  /// The enrollment, any bytes; nil for none, which makes it unavailable.
  public var enrolled: [UInt8]? {
    get { state.withLock { $0.enrolled } }
    set { state.withLock { $0.enrolled = newValue } }
  }

  /// The reason that it is unavailable; nil: it is available.
  public var unavailability: PresenceError? {
    get { state.withLock { $0.unavailability } }
    set { state.withLock { $0.unavailability = newValue } }
  }

  /// The number of requests.
  public var timesAsked: Int { reasons.count }
  /// The reasons of the requests, in order.
  public var reasons: [String] { state.withLock { $0.reasons } }

  /// Appends verdicts to the remaining ones.
  public func append(_ verdicts: Verdict...) { state.withLock { $0.verdicts += verdicts } }

  /// Blocks every caller from now on until ``unblock()`` or its cancellation.
  public func block() { state.withLock { $0.isBlocking = true } }

  /// Releases the waiting callers, and stops blocking.
  public func unblock() {
    let blocked = state.withLock { state in
      state.isBlocking = false
      defer { state.blocked = [] }
      return state.blocked
    }
    for semaphore in blocked { semaphore.signal() }
  }

  /// Waits until the number of requests reaches `times`.
  public func waitUntilAsked(_ times: Int = 1) {
    let semaphore = DispatchSemaphore(value: 0)
    let isThere = state.withLock { state in
      if state.reasons.count >= times { return true }
      state.watchers.append((times, semaphore))
      return false
    }
    if !isThere { semaphore.wait() }
  }

  /// Throws ``unavailability``, or `.biometryNotEnrolled` if nothing is enrolled.
  public func checkAvailability() throws(PresenceError) {
    let (unavailability, isEnrolled) = state.withLock { ($0.unavailability, $0.enrolled != nil) }
    if let unavailability { throw unavailability }
    if !isEnrolled { throw Self.nothingEnrolled }
  }

  /// Returns ``enrolled``; throws as ``checkAvailability()``.
  public func enrollment() throws(PresenceError) -> [UInt8] {
    let (unavailability, enrolled) = state.withLock { ($0.unavailability, $0.enrolled) }
    if let unavailability { throw unavailability }
    guard let enrolled else { throw Self.nothingEnrolled }
    return enrolled
  }

  /// Returns the next verdict.
  public func authenticate(_ attempt: PresenceAttempt) throws(PresenceError) -> PresenceProof {
    let semaphore = DispatchSemaphore(value: 0)
    let (verdict, waits, watchers) = state.withLock { state -> (Verdict, Bool, [DispatchSemaphore]) in
      state.reasons.append(attempt.reason)
      let verdict = state.verdicts.isEmpty ? state.otherwise : state.verdicts.removeFirst()
      if state.isBlocking { state.blocked.append(semaphore) }
      let count = state.reasons.count
      defer { state.watchers.removeAll { $0.times <= count } }
      return (verdict, state.isBlocking, state.watchers.filter { $0.times <= count }.map(\.semaphore))
    }
    for watcher in watchers { watcher.signal() }
    if waits { attempt.cancellation.withHandler(onCancel: { semaphore.signal() }, { semaphore.wait() }) }
    if attempt.cancellation.isCancelled { throw .appCancel }
    if case .fails(let error) = verdict { throw error }
    return .asserted
  }

  private static let nothingEnrolled = PresenceError.biometryNotEnrolled("nothing is enrolled with the test's biometry")
}
