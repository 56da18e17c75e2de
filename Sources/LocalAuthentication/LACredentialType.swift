/// What a program can give a context, so that the user need not type it (Apple, LAContext.h, `LACredentialType`).
public enum LACredentialType: Int, Sendable {
  /// A password of the application's own, in UTF-8, that items and keys with `.applicationPassword` want.
  case applicationPassword = 0
  /// A smart card's PIN. There are no smart cards here: it is never taken.
  case smartCardPIN = -3
}
