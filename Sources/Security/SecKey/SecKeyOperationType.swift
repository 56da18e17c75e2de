/// An operation of a key (Apple, SecKey.h, `SecKeyOperationType`).
public enum SecKeyOperationType: CFIndex, Sendable {
  /// ``SecKeyCreateSignature(_:_:_:_:)``.
  case sign = 0
  /// ``SecKeyVerifySignature(_:_:_:_:_:)``.
  case verify = 1
  /// ``SecKeyCreateEncryptedData(_:_:_:_:)``.
  case encrypt = 2
  /// ``SecKeyCreateDecryptedData(_:_:_:_:)``.
  case decrypt = 3
  /// ``SecKeyCopyKeyExchangeResult(_:_:_:_:_:)``.
  case keyExchange = 4
}
