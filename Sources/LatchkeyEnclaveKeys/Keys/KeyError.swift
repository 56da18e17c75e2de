/// Why a key was not read, or did not do what it was asked to. No text of these contains a secret.
public enum KeyError: Error, Hashable, Sendable {
  /// Bytes that are no key of this kind.
  case malformed(String)
  /// An algorithm, a curve or a size that this key does not have.
  case unsupported(String)
  /// A digest or a text of a wrong length, a point that is not on the curve, a parameter out of range.
  case invalidInput(String)
  /// A ciphertext that does not open.
  case decryptionFailed
  /// What the keychain or its enclave says.
  case refused(String)
}

extension KeyError: CustomStringConvertible {
  /// What is wrong, and what to do next.
  public var description: String {
    switch self {
    case .malformed(let text), .unsupported(let text), .invalidInput(let text), .refused(let text): text
    case .decryptionFailed: "the ciphertext does not open with this key: it is another key's, or was altered"
    }
  }
}
