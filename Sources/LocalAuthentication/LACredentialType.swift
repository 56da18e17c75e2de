/// A credential that a program sets in a context, so that the user need not type it (Apple, LAContext.h, `LACredentialType`).
public enum LACredentialType: Int, Sendable {
  /// The application's own password, in UTF-8, for items and keys with `.applicationPassword`.
  case applicationPassword = 0
  /// A smart card's PIN. Never accepted, because smart cards are not supported.
  case smartCardPIN = -3
}
