/// A login with a password: the body of ``Routes/login``.
public struct PasswordLogin: Codable, Sendable, Hashable {
  /// The user's name.
  public var user: String
  /// The user's password. A secret.
  public var password: String

  /// A login.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}

/// A login by a key: the body of ``Routes/keyLogin``.
public struct KeyLogin: Codable, Sendable, Hashable {
  /// The challenge that is answered.
  public var challengeID: String
  /// The device whose approval key signed.
  public var device: String
  /// ECDSA P-256 with SHA-256 over ``Challenge/signedMessage(purpose:content:)``, X9.62 DER; base64.
  public var signature: Base64Bytes

  /// A login.
  public init(challengeID: String, device: String, signature: Base64Bytes) {
    self.challengeID = challengeID
    self.device = device
    self.signature = signature
  }
}

/// A session: the answer to every login.
public struct LoginAnswer: Codable, Sendable, Hashable {
  /// The bearer token. A secret. One of a login over a certificate counts only over that device's certificate.
  public var token: String
  /// Seconds until it ends.
  public var expiresIn: Int
  /// The user's name.
  public var user: String
  /// The device, if the login was one's.
  public var device: String?

  /// An answer.
  public init(token: String, expiresIn: Int, user: String, device: String? = nil) {
    self.token = token
    self.expiresIn = expiresIn
    self.user = user
    self.device = device
  }
}
