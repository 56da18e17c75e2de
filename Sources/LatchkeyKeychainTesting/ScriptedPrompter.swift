import Dispatch
public import LatchkeyKeychainModel
import Synchronization

/// A user for tests: it types what the test has written down, and remembers what it was asked.
///
/// ```swift
/// let user = ScriptedPrompter([.types("a typing error"), .types("1234")])
/// let keychain = try TemporaryKeychain(passcode: "1234", prompter: user)
/// let session = try #require(keychain.database.presence).makeSession()
/// try session.evaluate(.userPresence, reason: "to test")
/// #expect(user.questions.map(\.subject) == [.passcode, .passcode])
/// #expect(user.questions.last?.complaint != nil)
/// ```
public final class ScriptedPrompter: PresencePrompter {
  /// What it does when it is asked.
  public enum Answer: Hashable, Sendable {
    /// It types this.
    case types(String)
    /// It does not.
    case fails(PresenceError)
  }

  private struct State {
    var answers: [Answer]
    var otherwise: Answer
    var questions: [PresenceQuestion] = []
    var messages: [String] = []
    var isBlocking = false
    var blocked: [DispatchSemaphore] = []
    var watchers: [(times: Int, semaphore: DispatchSemaphore)] = []
  }
  private let state: Mutex<State>

  /// - Parameters:
  ///   - answers: what it does, in this order.
  ///   - otherwise: what it does after those.
  public init(_ answers: [Answer] = [], otherwise: Answer = .fails(.userCancel)) {
    state = Mutex(State(answers: answers, otherwise: otherwise))
  }

  /// One that types `text` whenever it is asked.
  public convenience init(always text: String) { self.init(otherwise: .types(text)) }

  /// What it was asked, in this order.
  public var questions: [PresenceQuestion] { state.withLock { $0.questions } }
  /// What it was shown.
  public var messages: [String] { state.withLock { $0.messages } }

  /// Appends answers to those that are left.
  public func append(_ answers: Answer...) { state.withLock { $0.answers += answers } }

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
      if state.questions.count >= times { return true }
      state.watchers.append((times, semaphore))
      return false
    }
    if !isThere { semaphore.wait() }
  }

  /// Gives the next answer.
  public func answer(
    _ question: PresenceQuestion, cancellation: Cancellation
  ) throws(PresenceError) -> [UInt8] {
    let seat = DispatchSemaphore(value: 0)
    let (answer, waits, watchers) = state.withLock { state -> (Answer, Bool, [DispatchSemaphore]) in
      state.questions.append(question)
      let answer = state.answers.isEmpty ? state.otherwise : state.answers.removeFirst()
      if state.isBlocking { state.blocked.append(seat) }
      let count = state.questions.count
      defer { state.watchers.removeAll { $0.times <= count } }
      return (answer, state.isBlocking, state.watchers.filter { $0.times <= count }.map(\.semaphore))
    }
    for watcher in watchers { watcher.signal() }
    if waits { cancellation.withHandler(onCancel: { seat.signal() }, { seat.wait() }) }
    if cancellation.isCancelled { throw .appCancel }
    switch answer {
    case .types(let text): return Array(text.utf8)
    case .fails(let error): throw error
    }
  }

  /// Remembers the message.
  public func show(_ message: String) { state.withLock { $0.messages.append(message) } }
}
