/// Something that establishes that a user is there. Calls block, and end soon once they are cancelled.
public protocol Authenticator: Sendable {
  /// What messages and lists call it: "fprintd", "pam:login".
  var name: String { get }
  /// What its word is worth.
  var strength: PresenceStrength { get }

  /// Whether it could be asked now, without asking anybody.
  ///
  /// - Throws: `.biometryNotAvailable`, `.biometryNotEnrolled`, `.biometryLockout`, `.passcodeNotSet`.
  func checkAvailability() throws(PresenceError)

  /// What is enrolled, as bytes that change when it does: a digest, nothing that tells who. It asks nobody.
  ///
  /// - Throws: as ``checkAvailability()``.
  func enrollment() throws(PresenceError) -> [UInt8]

  /// Asks the user, and returns when the user was recognized.
  ///
  /// - Throws: `.authenticationFailed`, `.userCancel`, `.userFallback`, `.systemCancel`, `.appCancel` when `attempt` was
  ///   cancelled, `.biometryLockout`, and as ``checkAvailability()``.
  func authenticate(_ attempt: PresenceAttempt) throws(PresenceError) -> PresenceProof
}

/// What an authenticator's word is worth.
public enum PresenceStrength: String, Hashable, Sendable {
  /// It yields key material without which nothing opens.
  case bound
  /// It gives a verdict; anyone who controls this process or the service behind it could give it, too.
  case asserted
}

/// One request to an authenticator.
public struct PresenceAttempt: Sendable {
  /// Why the user is asked; shown to the user, never empty.
  public var reason: String
  /// What asks for texts, where the authenticator needs one typed; nil: there is no way to ask.
  public var prompter: (any PresencePrompter)?
  /// Ends the call.
  public var cancellation: Cancellation

  /// A request of these parts.
  public init(reason: String, prompter: (any PresencePrompter)? = nil, cancellation: Cancellation = Cancellation()) {
    self.reason = reason
    self.prompter = prompter
    self.cancellation = cancellation
  }
}

/// What an authenticator yields.
public struct PresenceProof: Sendable {
  /// The key material of a bound authenticator; nil of an asserted one.
  package let material: [UInt8]?

  /// The verdict of an asserted authenticator.
  public static var asserted: PresenceProof { PresenceProof(material: nil) }

  /// The key material of a bound authenticator.
  public static func bound(_ material: [UInt8]) -> PresenceProof { PresenceProof(material: material) }

  private init(material: [UInt8]?) { self.material = material }
}
