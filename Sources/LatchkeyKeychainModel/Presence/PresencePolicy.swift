/// What is to be established (`LAPolicy`).
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

/// What a key or an item is to be used for (`LAAccessControlOperation`).
public enum PresenceOperation: Int, Hashable, Sendable, CaseIterable {
  /// Adding an item.
  case createItem = 0
  /// Reading or changing an item.
  case useItem = 1
  /// Making a key.
  case createKey = 2
  /// Signing.
  case sign = 3
  /// Decrypting.
  case decrypt = 4
  /// Key agreement.
  case exchange = 5
}

/// What the user is told and how the user may be asked (`LAContext`'s properties).
public struct PresenceOptions: Sendable {
  /// Why, where a call brings no reason of its own (`localizedReason`).
  public var reason = ""
  /// What the way to the passcode is called; empty hides it (`localizedFallbackTitle`).
  public var fallbackTitle: String?
  /// What cancelling is called (`localizedCancelTitle`).
  public var cancelTitle: String?
  /// Whether nobody may be asked (`interactionNotAllowed`).
  public var interactionNotAllowed = false
  /// For how many seconds biometry once given counts for other contexts' evaluations, too; 0 to 300
  /// (`touchIDAuthenticationAllowableReuseDuration`).
  public var biometryReuseDuration = 0.0
  /// What asks in place of the terminal and `LATCHKEY_ASKPASS`.
  public var prompter: (any PresencePrompter)?

  /// The usual ones.
  public init() {}
}
