/// The factors that an evaluation requires (`LAPolicy`).
public enum PresencePolicy: Int, Hashable, Sendable, CaseIterable {
  /// Biometry.
  case biometry = 1
  /// Biometry or the passcode.
  case userPresence = 2
  /// A companion device.
  case companion = 3
  /// Biometry or a companion device.
  case biometryOrCompanion = 4
}

/// The operation on a key or an item that needs consent (`LAAccessControlOperation`).
public enum PresenceOperation: Int, Hashable, Sendable, CaseIterable {
  /// Adding an item.
  case createItem = 0
  /// Reading or changing an item.
  case useItem = 1
  /// Creating a key.
  case createKey = 2
  /// Signing.
  case sign = 3
  /// Decrypting.
  case decrypt = 4
  /// Key agreement.
  case exchange = 5
}

/// The texts and limits of prompts (`LAContext`'s properties).
public struct PresenceOptions: Sendable {
  /// The default reason, for calls without one of their own (`localizedReason`).
  public var reason = ""
  /// The title of the fallback to the passcode; an empty one hides it (`localizedFallbackTitle`).
  public var fallbackTitle: String?
  /// The title of the cancel action (`localizedCancelTitle`).
  public var cancelTitle: String?
  /// Whether prompts are forbidden (`interactionNotAllowed`).
  public var interactionNotAllowed = false
  /// The number of seconds for which a successful biometry counts for other contexts' evaluations, too; 0 to 300
  /// (`touchIDAuthenticationAllowableReuseDuration`).
  public var biometryReuseDuration = 0.0
  /// The prompter that replaces the terminal and `LATCHKEY_ASKPASS`.
  public var prompter: (any PresencePrompter)?

  /// Creates options with their defaults.
  public init() {}
}
