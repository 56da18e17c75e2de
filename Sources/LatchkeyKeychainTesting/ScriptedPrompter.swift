import Dispatch
public import LatchkeyKeychainModel
import Synchronization

/// A user for tests: it types the test's scripted answers, and records the questions.
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
  /// A scripted answer.
  public enum Answer: Hashable, Sendable {
    /// Types this text.
    case types(String)
    /// Fails with this error.
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
  ///   - answers: the answers, in order.
  ///   - otherwise: the answer after those.
  public init(_ answers: [Answer] = [], otherwise: Answer = .fails(.userCancel)) {
    state = Mutex(State(answers: answers, otherwise: otherwise))
  }

  /// Creates a prompter that always types `text`.
  public convenience init(always text: String) { self.init(otherwise: .types(text)) }

  /// The questions, in order.
  public var questions: [PresenceQuestion] { state.withLock { $0.questions } }
  /// The messages shown, in order.
  public var messages: [String] { state.withLock { $0.messages } }

  /// Appends answers to the remaining ones.
  public func append(_ answers: Answer...) { state.withLock { $0.answers += answers } }

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

  /// Waits until the number of questions reaches `times`.
  public func waitUntilAsked(_ times: Int = 1) {
    let semaphore = DispatchSemaphore(value: 0)
    let isThere = state.withLock { state in
      if state.questions.count >= times { return true }
      state.watchers.append((times, semaphore))
      return false
    }
    if !isThere { semaphore.wait() }
  }

  /// Returns the next answer.
  public func answer(
    _ question: PresenceQuestion, cancellation: Cancellation
  ) throws(PresenceError) -> [UInt8] {
    let semaphore = DispatchSemaphore(value: 0)
    let (answer, waits, watchers) = state.withLock { state -> (Answer, Bool, [DispatchSemaphore]) in
      state.questions.append(question)
      let answer = state.answers.isEmpty ? state.otherwise : state.answers.removeFirst()
      if state.isBlocking { state.blocked.append(semaphore) }
      let count = state.questions.count
      defer { state.watchers.removeAll { $0.times <= count } }
      return (answer, state.isBlocking, state.watchers.filter { $0.times <= count }.map(\.semaphore))
    }
    for watcher in watchers { watcher.signal() }
    if waits { cancellation.withHandler(onCancel: { semaphore.signal() }, { semaphore.wait() }) }
    if cancellation.isCancelled { throw .appCancel }
    switch answer {
    case .types(let text): return Array(text.utf8)
    case .fails(let error): throw error
    }
  }

  /// Records the message.
  public func show(_ message: String) { state.withLock { $0.messages.append(message) } }
}
