/// Asks by calling a closure: for applications that have a way of their own to ask, a window say.
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

  /// - Parameters:
  ///   - show: shows a message, and returns at once; without it messages are lost.
  ///   - answer: asks, and waits for the answer in UTF-8. It is called in the thread of the caller that needs consent, and ends
  ///     soon once its `Cancellation` is cancelled. It must not use the context that asks it.
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
