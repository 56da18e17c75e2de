import Dispatch
public import LatchkeyKeychainModel
import Synchronization

/// Biometry for tests: it says what the test has written down, and counts how often it was asked. It stands in this module
/// and in no other, so that no program has it by mistake.
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
/// A test that wants to see what happens while somebody is asked holds the answer back:
///
/// ```swift
/// finger.block()
/// let thread = Thread { try? session.evaluate(.biometry, reason: "to test") }
/// thread.start()
/// finger.waitUntilAsked()
/// session.invalidate()  // the call in the thread ends: `.appCancel`
/// ```
public final class ScriptedAuthenticator: Authenticator {
  /// What it says when it is asked.
  public enum Verdict: Hashable, Sendable {
    /// It was the user.
    case recognized
    /// It was not, or something else came in between.
    case fails(PresenceError)

    /// It was somebody else.
    public static let refused = Verdict.fails(.authenticationFailed("not recognized"))
  }

  /// What messages call it.
  public let name: String
  /// Its word is a verdict.
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
  ///   - verdicts: what it says, in this order.
  ///   - otherwise: what it says after those.
  ///   - enrolled: what is enrolled, any bytes; nil is nothing.
  public init(
    name: String = "scripted", _ verdicts: [Verdict] = [], otherwise: Verdict = .recognized,
    enrolled: [UInt8]? = Array("a finger".utf8)
  ) {
    self.name = name
    state = Mutex(State(verdicts: verdicts, otherwise: otherwise, enrolled: enrolled))
  }

  /// What is enrolled, any bytes; nil is nothing: then it is not available.
  public var enrolled: [UInt8]? {
    get { state.withLock { $0.enrolled } }
    set { state.withLock { $0.enrolled = newValue } }
  }

  /// Why it cannot be asked; nil: it can.
  public var unavailability: PresenceError? {
    get { state.withLock { $0.unavailability } }
    set { state.withLock { $0.unavailability = newValue } }
  }

  /// How often it was asked.
  public var timesAsked: Int { reasons.count }
  /// The reasons that it was given, in the order in which it was asked.
  public var reasons: [String] { state.withLock { $0.reasons } }

  /// Appends verdicts to those that are left.
  public func append(_ verdicts: Verdict...) { state.withLock { $0.verdicts += verdicts } }

  /// From now on every caller waits until ``unblock()``, or is cancelled.
  public func block() { state.withLock { $0.isBlocking = true } }

  /// Lets all go on who wait, and those who come after.
  public func unblock() {
    let blocked = state.withLock { state in
      state.isBlocking = false
      defer { state.blocked = [] }
      return state.blocked
    }
    for seat in blocked { seat.signal() }
  }

  /// Waits until it was asked so often.
  public func waitUntilAsked(_ times: Int = 1) {
    let semaphore = DispatchSemaphore(value: 0)
    let isThere = state.withLock { state in
      if state.reasons.count >= times { return true }
      state.watchers.append((times, semaphore))
      return false
    }
    if !isThere { semaphore.wait() }
  }

  /// Throws ``unavailability``, or `.biometryNotEnrolled` where nothing is enrolled.
  public func checkAvailability() throws(PresenceError) {
    let (unavailability, isEnrolled) = state.withLock { ($0.unavailability, $0.enrolled != nil) }
    if let unavailability { throw unavailability }
    if !isEnrolled { throw Self.nothingEnrolled }
  }

  /// ``enrolled``; throws as ``checkAvailability()``.
  public func enrollment() throws(PresenceError) -> [UInt8] {
    let (unavailability, enrolled) = state.withLock { ($0.unavailability, $0.enrolled) }
    if let unavailability { throw unavailability }
    guard let enrolled else { throw Self.nothingEnrolled }
    return enrolled
  }

  /// Says the next verdict.
  public func authenticate(_ attempt: PresenceAttempt) throws(PresenceError) -> PresenceProof {
    let seat = DispatchSemaphore(value: 0)
    let (verdict, waits, watchers) = state.withLock { state -> (Verdict, Bool, [DispatchSemaphore]) in
      state.reasons.append(attempt.reason)
      let verdict = state.verdicts.isEmpty ? state.otherwise : state.verdicts.removeFirst()
      if state.isBlocking { state.blocked.append(seat) }
      let count = state.reasons.count
      defer { state.watchers.removeAll { $0.times <= count } }
      return (verdict, state.isBlocking, state.watchers.filter { $0.times <= count }.map(\.semaphore))
    }
    for watcher in watchers { watcher.signal() }
    if waits { attempt.cancellation.withHandler(onCancel: { seat.signal() }, { seat.wait() }) }
    if attempt.cancellation.isCancelled { throw .appCancel }
    if case .fails(let error) = verdict { throw error }
    return .asserted
  }

  private static let nothingEnrolled = PresenceError.biometryNotEnrolled("nothing is enrolled with the test's biometry")
}
