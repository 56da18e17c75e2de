/// What a user has consented to, for as long as it counts: an `LAContext` below its façade. Calls that ask block.
public protocol PresenceSession: AnyObject, Sendable {
  /// What the user is told, and how asked.
  var options: PresenceOptions { get set }
  /// Whether ``invalidate()`` was called.
  var isInvalidated: Bool { get }
  /// What is enrolled for biometry, as bytes that change when it does; nil before an evaluation asked for it.
  var domainState: [UInt8]? { get }

  /// Ends it: the user who is being asked is not waited for any longer (`.appCancel`), what was consented to is forgotten, keys
  /// held are wiped, and every later call is `.invalidContext`.
  func invalidate()

  /// Whether `policy` could be evaluated now, without asking anybody.
  func check(_ policy: PresencePolicy) throws(PresenceError)
  /// Asks for what `policy` wants, unless it was given in this session before, and remembers it.
  func evaluate(_ policy: PresencePolicy, reason: String) throws(PresenceError)
  /// Asks for what `control` wants, unless it was given in this session before, and remembers it.
  func evaluate(_ control: AccessControl, for operation: PresenceOperation, reason: String) throws(PresenceError)

  /// Gives the session an application password, or takes it away with nil or no bytes. The session's copy is wiped.
  func setApplicationPassword(_ password: [UInt8]?) throws(PresenceError)
  /// Whether it has one.
  var hasApplicationPassword: Bool { get }
}

/// What has a session: `LAContext`, as seen by those below it.
package protocol PresenceSessionHolder: AnyObject {
  /// The session; made at first use.
  func presenceSession() throws(StoreError) -> any PresenceSession
}

/// A keychain's presence: who can be asked, and how.
public protocol PresenceService: AnyObject, Sendable {
  /// A session in which nothing was consented to yet.
  func makeSession() -> any PresenceSession
  /// Those that count as biometry, by name, in the order in which they are asked; empty: there is no biometry.
  var biometryNames: [String] { get }
  /// What is enrolled for biometry, as bytes that change when it does.
  ///
  /// - Throws: `.biometryNotAvailable` with a text that names `LATCHKEY_PRESENCE`; `.biometryNotEnrolled`.
  func enrollment() throws(PresenceError) -> [UInt8]
}

/// Who consents to what one call does with constrained items and keys, and whether anybody may be asked.
public struct Consent: Sendable {
  /// Whether somebody may be asked.
  public enum Interaction: Hashable, Sendable {
    /// Yes.
    case allowed
    /// No: `.presence(.notInteractive)` (`kSecUseAuthenticationUIFail`).
    case refused
    /// No: items for which somebody would have to be asked are left out (`kSecUseAuthenticationUISkip`).
    case skipped
  }
  /// Where consent was given before and is remembered; nil: it counts for this call alone.
  public var session: (any PresenceSession)?
  /// Whether somebody may be asked.
  public var interaction: Interaction
  /// Why (`kSecUseOperationPrompt`); nil: the session's reason, or a text that names the operation.
  public var reason: String?

  /// Consent of these parts.
  public init(
    session: (any PresenceSession)? = nil, interaction: Interaction = .allowed, reason: String? = nil
  ) {
    self.session = session
    self.interaction = interaction
    self.reason = reason
  }
}
