/// The cached consent of a user: the engine of an `LAContext`. Calls that prompt block.
public protocol PresenceSession: AnyObject, Sendable {
  /// The texts and limits of prompts.
  var options: PresenceOptions { get set }
  /// Whether ``invalidate()`` was called.
  var isInvalidated: Bool { get }
  /// A digest of the biometric enrollment, which changes with it; nil before an evaluation required it.
  var domainState: [UInt8]? { get }

  /// Ends the session: cancels a running prompt (`.appCancel`), deletes cached consent, wipes held keys, and makes every
  /// later call throw `.invalidContext`.
  func invalidate()

  /// Checks, without a prompt, whether `policy` could be evaluated now.
  func check(_ policy: PresencePolicy) throws(PresenceError)
  /// Prompts for the factors that `policy` requires, unless this session has them cached, and caches them.
  func evaluate(_ policy: PresencePolicy, reason: String) throws(PresenceError)
  /// Prompts for the factors that `control` requires, unless this session has them cached, and caches them.
  func evaluate(_ control: AccessControl, for operation: PresenceOperation, reason: String) throws(PresenceError)

  /// Sets the session's application password, or deletes it with nil or no bytes. The session wipes its previous copy.
  func setApplicationPassword(_ password: [UInt8]?) throws(PresenceError)
  /// Whether the session has an application password.
  var hasApplicationPassword: Bool { get }
}

/// An object with a session: `LAContext`, as seen by the modules below it.
package protocol PresenceSessionHolder: AnyObject {
  /// The session, created at first use.
  func presenceSession() throws(StoreError) -> any PresenceSession
}

/// The service of a keychain that establishes user presence.
public protocol PresenceService: AnyObject, Sendable {
  /// Creates a session without cached consent.
  func makeSession() -> any PresenceSession
  /// The names of the authenticators that count as biometry, in the order of their use; empty if there is no biometry.
  var biometryNames: [String] { get }
  /// Returns a digest of the biometric enrollment, which changes with it.
  ///
  /// - Throws: `.biometryNotAvailable` with a text that names `LATCHKEY_PRESENCE`; `.biometryNotEnrolled`.
  func enrollment() throws(PresenceError) -> [UInt8]
}

/// The source of consent for one call's use of constrained items and keys.
public struct Consent: Sendable {
  /// Whether the call may prompt.
  public enum Interaction: Hashable, Sendable {
    /// Yes.
    case allowed
    /// No: the call throws `.presence(.notInteractive)` (`kSecUseAuthenticationUIFail`).
    case refused
    /// No: the call skips items that require a prompt (`kSecUseAuthenticationUISkip`).
    case skipped
  }
  /// The session that caches consent; if nil, consent counts for this call alone.
  public var session: (any PresenceSession)?
  /// Whether the call may prompt.
  public var interaction: Interaction
  /// The reason shown to the user (`kSecUseOperationPrompt`); nil means the session's reason, or a text that names the
  /// operation.
  public var reason: String?

  /// Creates consent from its parts.
  public init(
    session: (any PresenceSession)? = nil, interaction: Interaction = .allowed, reason: String? = nil
  ) {
    self.session = session
    self.interaction = interaction
    self.reason = reason
  }
}
