public import LatchkeyProvisioningProtocol

/// A step of a session. No step has a secret.
public enum ProvisioningProgress: Hashable, Sendable {
  /// The app looks for the device.
  case searching
  /// The app connects.
  case connecting
  /// The link is up.
  case connected
  /// The device offers these protocols, and the session speaks the first.
  case chosen(ProvisioningProtocol, offered: [ProvisioningProtocol])
  /// The device waits for somebody to act at it: to press its button, say.
  case needsAuthorization
  /// The session is open; the assurance says what it proves.
  case opened(ProvisioningAssurance)
  /// The device lists the networks in its reach.
  case scanning
  /// It has found this number of them.
  case scanned(Int)
  /// The device has the credentials, and tries them.
  case joining
  /// The device has joined.
  case joined(JoinedNetwork)
  /// The device has not joined; the session goes on.
  case joinFailed(JoinFailure)
  /// What the app would keep of the device could not be stored: it will ask for the code again. The system's words.
  case notRemembered(String)
  /// The link is closed.
  case disconnected
}
