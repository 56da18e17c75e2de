/// The old service's paths and texts (`Examples/002-sealed-transfer`; reference of the envelope: `LatchkeySealedMessages`, `DocumentedEnvelope`).
public enum Documented {
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

  /// Where the bearer token goes: what the old client calls signing. It signs nothing.
  public enum SigningOption: String, Sendable, CaseIterable {
    /// Nowhere.
    case none
    /// Into the query, by its name; the old client puts it nowhere, as with ``none``, and neither side of this one does.
    case querystring
    /// Into the payload, as its member `token`.
    case payload
    /// Into the field `auth-token`.
    case header
  }

  /// What the user is told when the MAC of the accounts is wrong.
  public static let cannotVerify =
    "We're unable to verify account data validity. Please check your network connection and try again."
  /// What the user is told when the accounts cannot be decrypted.
  public static let cannotInterpret =
    "We're unable to interpret account data validity. Please check your network connection and try again."
  /// The title of both.
  public static let unsecureConnection = "Unsecure Connection"
}
