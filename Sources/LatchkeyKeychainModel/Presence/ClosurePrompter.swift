/// Prompts by calling a closure: for applications with prompts of their own, such as a window.
///
/// ```swift
/// let prompter = ClosurePrompter { question, cancellation throws(PresenceError) in
///   guard let text = panel.ask(question.reason, closingOn: cancellation) else { throw .userCancel }
///   return Array(text.utf8)
/// }
/// ```
public struct ClosurePrompter: PresencePrompter {
  private let asks: @Sendable (PresenceQuestion, Cancellation) throws(PresenceError) -> [UInt8]
  private let shows: @Sendable (String) -> Void

  /// Creates a prompter from its closures.
  ///
  /// - Parameters:
  ///   - show: shows a message, and returns at once; by default messages are discarded.
  ///   - answer: prompts, waits, and returns the answer in UTF-8. It is called in the thread of the caller that needs
  ///     consent, and must return soon after its `Cancellation` is canceled. It must not use the context that calls it.
  public init(
    show: @escaping @Sendable (String) -> Void = { _ in },
    answer: @escaping @Sendable (PresenceQuestion, Cancellation) throws(PresenceError) -> [UInt8]
  ) {
    asks = answer
    shows = show
  }

  /// Calls the closure.
  public func answer(
    _ question: PresenceQuestion, cancellation: Cancellation
  ) throws(PresenceError) -> [UInt8] {
    try asks(question, cancellation)
  }

  /// Calls the closure that shows messages.
  public func show(_ message: String) { shows(message) }
}
