import Foundation
import LatchkeyKeychainModel
import Synchronization

extension LAContext {
  /// The request to a ``passcodePrompter``.
  public struct PasscodeRequest: Hashable, Sendable {
    /// The kind of secret to ask for.
    public enum Kind: Hashable, Sendable {
      /// The keychain's passcode.
      case passcode
      /// The application's own password for an item or a key.
      case applicationPassword
      /// The text of a PAM service's own prompt; `isSecret`: whether to hide the answer during typing.
      case service(String, isSecret: Bool)
    }
    /// The kind of secret to ask for.
    public let kind: Kind
    /// The program's reason.
    public let localizedReason: String
    /// The error in the previous answer; nil on the first attempt.
    public let complaint: String?
    /// ``LAContext/localizedCancelTitle``.
    public let localizedCancelTitle: String?
  }

  /// Prompts the user for a typed secret in place of the terminal and `LATCHKEY_ASKPASS`: for programs without a terminal.
  /// Apple has no counterpart, because its system prompts.
  ///
  /// It runs in a thread of its own, may wait for the user, and returns the typed secret, or nil if the user cancels. When
  /// the context is invalidated, its caller stops waiting and ignores the answer.
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

/// A prompter that calls an application's closure.
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
    // A closure cannot be canceled, so it runs in a thread of its own, and only the wait for it ends.
    Thread.detachNewThread { [closure] in answer.set(.some(closure(request))) }
    cancellation.withHandler(onCancel: { answer.set(nil) }) { answer.wait() }
    guard !cancellation.isCancelled, let given = answer.text else { throw .appCancel }
    guard let typed = given else { throw .userCancel }
    return Array(typed.utf8)
  }

  /// Does nothing: a program with a closure shows messages itself.
  func show(_ message: String) {}
}

/// The answer of a closure; the outer nil means that the prompt was canceled before an answer.
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
