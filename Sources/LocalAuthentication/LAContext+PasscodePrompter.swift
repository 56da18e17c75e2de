import Foundation
import LatchkeyKeychainModel
import Synchronization

extension LAContext {
  /// What a ``passcodePrompter`` is asked for.
  public struct PasscodeRequest: Hashable, Sendable {
    /// Which secret is wanted.
    public enum Kind: Hashable, Sendable {
      /// The keychain's passcode.
      case passcode
      /// The application's own password for an item or a key.
      case applicationPassword
      /// What a PAM service asks for, in its words; `isSecret`: whether it must not be shown while typed.
      case service(String, isSecret: Bool)
    }
    /// Which secret is wanted.
    public let kind: Kind
    /// Why: the reason that the program has given.
    public let localizedReason: String
    /// What was wrong with the last answer; nil at the first try.
    public let complaint: String?
    /// ``LAContext/localizedCancelTitle``.
    public let localizedCancelTitle: String?
  }

  /// Asks the user to type a secret, in place of the terminal and `LATCHKEY_ASKPASS`: for programs without a terminal. Apple
  /// has no such thing, since there the system asks.
  ///
  /// It is called in a thread of its own, may wait for the user, and answers with what was typed, or nil where the user
  /// cancels. When the context is invalidated it is not waited for any longer; what it answers then is not used.
  public var passcodePrompter: (@Sendable (PasscodeRequest) -> String?)? {
    get { (engine.options.prompter as? RequestPrompter)?.closure }
    set {
      engine.setOptions { options in
        let (prompter, engine) = (newValue, engine)
        options.prompter = prompter.map { closure in
          RequestPrompter(closure: closure) { [weak engine] in engine?.options.cancelTitle }
        }
      }
    }
  }
}

/// An application's closure that asks.
private final class RequestPrompter: PresencePrompter {
  let closure: @Sendable (LAContext.PasscodeRequest) -> String?
  private let cancelTitle: @Sendable () -> String?

  init(
    closure: @escaping @Sendable (LAContext.PasscodeRequest) -> String?,
    cancelTitle: @escaping @Sendable () -> String?
  ) {
    self.closure = closure
    self.cancelTitle = cancelTitle
  }

  func answer(_ question: PresenceQuestion, cancellation: Cancellation) throws(PresenceError) -> [UInt8] {
    let request = LAContext.PasscodeRequest(
      kind: LAContext.PasscodeRequest.Kind(question.subject), localizedReason: question.reason,
      complaint: question.complaint, localizedCancelTitle: cancelTitle())
    let answer = Answer()
    // A closure cannot be ended from outside; the caller that waits for it can.
    Thread.detachNewThread { [closure] in answer.set(.some(closure(request))) }
    cancellation.withHandler(onCancel: { answer.set(nil) }) { answer.wait() }
    guard !cancellation.isCancelled, let given = answer.text else { throw .appCancel }
    guard let typed = given else { throw .userCancel }
    return Array(typed.utf8)
  }

  /// A program with a closure shows for itself what is to be shown.
  func show(_ message: String) {}
}

/// What a closure has answered; nil outside: nothing was, since it was cancelled.
private final class Answer: Sendable {
  private struct State {
    var text: String??
    var isThere = false
  }
  private let state = Mutex(State())
  private let isThere = DispatchSemaphore(value: 0)

  var text: String?? { state.withLock { $0.text } }

  func set(_ text: String??) {
    let isFirst = state.withLock { state in
      if state.isThere { return false }
      (state.text, state.isThere) = (text, true)
      return true
    }
    if isFirst { isThere.signal() }
  }

  func wait() { isThere.wait() }
}

extension LAContext.PasscodeRequest.Kind {
  fileprivate init(_ subject: PresenceQuestion.Subject) {
    self =
      switch subject {
      case .passcode: .passcode
      case .applicationPassword: .applicationPassword
      case .service(let text, let isSecret): .service(text, isSecret: isSecret)
      }
  }
}
