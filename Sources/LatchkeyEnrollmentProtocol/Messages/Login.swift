/// A login with a password: the body of ``Routes/login``.
public struct PasswordLogin: Codable, Sendable, Hashable {
  /// The user's name.
  public var user: String
  /// The user's password. A secret.
  public var password: String

  /// Creates a login.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}

/// A login by an approval key: the body of ``Routes/keyLogin``.
public struct KeyLogin: Codable, Sendable, Hashable {
  /// The identifier of the answered challenge.
  public var challengeID: String
  /// The device whose approval key signed.
  public var device: String
  /// ECDSA P-256 with SHA-256 over ``Challenge/signedMessage(purpose:content:)``, X9.62 DER; base64.
  public var signature: Base64Bytes

  /// Creates a login.
  public init(challengeID: String, device: String, signature: Base64Bytes) {
    self.challengeID = challengeID
    self.device = device
    self.signature = signature
  }
}

/// A session: the answer to every login.
public struct LoginAnswer: Codable, Sendable, Hashable {
  /// The bearer token. A secret. A token from a certificate login is valid only with that device's certificate.
  public var token: String
  /// Seconds until it expires.
  public var expiresIn: Int
  /// The user's name.
  public var user: String
  /// The device, for a login by a device.
  public var device: String?

  /// Creates an answer.
  public init(token: String, expiresIn: Int, user: String, device: String? = nil) {
    self.token = token
    self.expiresIn = expiresIn
    self.user = user
    self.device = device
  }
}
