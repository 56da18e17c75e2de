/// The operation on a key or an item that needs consent (Apple, LAContext.h, `LAAccessControlOperation`).
public enum LAAccessControlOperation: Int, Sendable {
  /// Adding an item.
  case createItem = 0
  /// Reading or changing an item.
  case useItem = 1
  /// Creating a key.
  case createKey = 2
  /// Signing.
  case useKeySign = 3
  /// Decrypting.
  case useKeyDecrypt = 4
  /// Key agreement.
  case useKeyKeyExchange = 5
}
