/// Prompts the user for a typed answer: by the terminal, the program in `LATCHKEY_ASKPASS`, or an application's closure.
public protocol PresencePrompter: Sendable {
  /// Prompts, waits, and returns the answer in UTF-8 without the line's end. The caller must wipe it.
  ///
  /// - Throws: `.userCancel`, `.userFallback`, `.appCancel` when canceled, `.notInteractive` if there is no way to prompt.
  func answer(_ question: PresenceQuestion, cancellation: Cancellation) throws(PresenceError) -> [UInt8]

  /// Shows a message ("place your finger on the reader"), or discards it if there is no way to show it.
  func show(_ message: String)
}

/// A prompt for a typed answer.
public struct PresenceQuestion: Hashable, Sendable {
  /// The secret or text that a prompt asks for.
  public enum Subject: Hashable, Sendable {
    /// The keychain's passcode.
    case passcode
    /// The application's own password for an item or a key.
    case applicationPassword
    /// The text of a service's own prompt (PAM); `isSecret`: whether to hide the answer during typing.
    case service(String, isSecret: Bool)
  }
  /// The secret or text that a prompt asks for.
  public var subject: Subject
  /// The application's reason.
  public var reason: String
  /// The error in the previous answer; nil on the first attempt.
  public var complaint: String?

  /// Creates a question from its parts.
  public init(_ subject: Subject, reason: String, complaint: String? = nil) {
    self.subject = subject
    self.reason = reason
    self.complaint = complaint
  }
}
