/// The old service's paths and texts (`Examples/002-sealed-transfer`; reference of the envelope: `LatchkeySealedMessages`, `LegacyEnvelope`).
public enum LegacyEnrollment {
  /// POST, HTTP Basic; `?register=true&pin=…` to register.
  public static let authenticate = "/user/authenticate"
  /// POST over a client certificate; `?pin=` base64 of AES with a zero vector.
  public static let authenticateCertificate = "/user/authenticate/certificate"
  /// GET: the accounts in a sealed response.
  public static let accounts = "/user/accounts"
  /// POST: a sealed transfer.
  public static let transferFunds = "/account/transferfunds"
  /// The field that carries the token, with the signing option `header`.
  public static let tokenHeader = "auth-token"

  /// The place of the bearer token. The old client calls it signing; it signs nothing.
  public enum SigningOption: String, Sendable, CaseIterable {
    /// No token is sent.
    case none
    /// By its name, the query. The old client sends no token here, as with ``none``; neither does this client, nor does this
    /// server read one.
    case querystring
    /// The payload, as its member `token`.
    case payload
    /// The field `auth-token`.
    case header
  }

  /// The user's message if the MAC of the accounts is wrong.
  public static let cannotVerify =
    "We're unable to verify account data validity. Please check your network connection and try again."
  /// The user's message if the accounts cannot be decrypted.
  public static let cannotInterpret =
    "We're unable to interpret account data validity. Please check your network connection and try again."
  /// The title of both messages.
  public static let unsecureConnection = "Unsecure Connection"
}
