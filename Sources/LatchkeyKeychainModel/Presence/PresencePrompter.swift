/// Asks the user to type something: the terminal, the program in `LATCHKEY_ASKPASS`, or an application's closure.
public protocol PresencePrompter: Sendable {
  /// Asks and waits for the answer, in UTF-8 without the line's end; it is the caller's to wipe.
  ///
  /// - Throws: `.userCancel`, `.userFallback`, `.appCancel` when cancelled, `.notInteractive` if there is no way to ask.
  func answer(_ question: PresenceQuestion, cancellation: Cancellation) throws(PresenceError) -> [UInt8]

  /// Shows a message ("place your finger on the reader"); it is lost where there is no way to show it.
  func show(_ message: String)
}

/// What the user is asked to type.
public struct PresenceQuestion: Hashable, Sendable {
  /// What is wanted.
  public enum Subject: Hashable, Sendable {
    /// The keychain's passcode.
    case passcode
    /// The application's own password for an item or a key.
    case applicationPassword
    /// What a service asks for in its own words (PAM); `isSecret`: whether it must not be shown while typed.
    case service(String, isSecret: Bool)
  }
  /// What is wanted.
  public var subject: Subject
  /// Why: the application's reason.
  public var reason: String
  /// What was wrong with the last answer; nil at the first try.
  public var complaint: String?

  /// A question of these parts.
  public init(_ subject: Subject, reason: String, complaint: String? = nil) {
    self.subject = subject
    self.reason = reason
    self.complaint = complaint
  }
}
