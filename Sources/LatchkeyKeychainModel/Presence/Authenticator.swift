/// Establishes user presence. Calls block, and return soon after they are canceled.
public protocol Authenticator: Sendable {
  /// The name in messages and lists: "fprintd", "pam:login".
  var name: String { get }
  /// The strength of its proof.
  var strength: PresenceStrength { get }

  /// Checks, without a prompt, whether ``authenticate(_:)`` could succeed now.
  ///
  /// - Throws: `.biometryNotAvailable`, `.biometryNotEnrolled`, `.biometryLockout`, `.passcodeNotSet`.
  func checkAvailability() throws(PresenceError)

  /// Returns a digest of the enrollment, which changes with it and does not identify the user. It does not prompt.
  ///
  /// - Throws: as ``checkAvailability()``.
  func enrollment() throws(PresenceError) -> [UInt8]

  /// Prompts the user, and returns when the user was recognized.
  ///
  /// - Throws: `.authenticationFailed`, `.userCancel`, `.userFallback`, `.systemCancel`, `.appCancel` when `attempt` was
  ///   canceled, `.biometryLockout`, and as ``checkAvailability()``.
  func authenticate(_ attempt: PresenceAttempt) throws(PresenceError) -> PresenceProof
}

/// The strength of an authenticator's proof.
public enum PresenceStrength: String, Hashable, Sendable {
  /// The proof is key material, without which the secret cannot be decrypted.
  case bound
  /// The proof is a verdict, which anyone who controls this process or the service behind it could forge.
  case asserted
}

/// One request to an authenticator.
public struct PresenceAttempt: Sendable {
  /// The reason shown to the user; never empty.
  public var reason: String
  /// The prompter for typed answers, if the authenticator needs one; nil if there is no way to prompt.
  public var prompter: (any PresencePrompter)?
  /// Cancels the call.
  public var cancellation: Cancellation

  /// Creates a request from its parts.
  public init(reason: String, prompter: (any PresencePrompter)? = nil, cancellation: Cancellation = Cancellation()) {
    self.reason = reason
    self.prompter = prompter
    self.cancellation = cancellation
  }
}

/// The result of an authentication.
public struct PresenceProof: Sendable {
  /// The key material of a bound authenticator; nil for an asserted one.
  package let material: [UInt8]?

  /// The proof of an asserted authenticator.
  public static var asserted: PresenceProof { PresenceProof(material: nil) }

  /// The proof of a bound authenticator: its key material.
  public static func bound(_ material: [UInt8]) -> PresenceProof { PresenceProof(material: material) }

  private init(material: [UInt8]?) { self.material = material }
}

extension PresenceProof: CustomReflectable {
  /// Whether there is key material, without its bytes.
  public var customMirror: Mirror {
    Mirror(self, children: ["material": material.redacted as Any], displayStyle: .struct)
  }
}
