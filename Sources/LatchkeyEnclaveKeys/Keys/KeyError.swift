/// The reason for failing to parse or use a key. No text contains a secret.
public enum KeyError: Error, Hashable, Sendable {
  /// The bytes are not a key of this kind.
  case malformed(String)
  /// The key does not support the algorithm, the curve or the size.
  case unsupported(String)
  /// A digest or text has a wrong length, a point is not on the curve, or a parameter is out of range.
  case invalidInput(String)
  /// A ciphertext does not decrypt.
  case decryptionFailed
  /// An error of the keychain or its enclave.
  case refused(String)
}

extension KeyError: CustomStringConvertible {
  /// The reason, and the remedy.
  public var description: String {
    switch self {
    case .malformed(let text), .unsupported(let text), .invalidInput(let text), .refused(let text): text
    case .decryptionFailed: "the ciphertext does not open with this key: it is another key's, or was altered"
    }
  }
}
