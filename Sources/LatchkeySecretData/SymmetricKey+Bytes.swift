package import Crypto

extension SymmetricKey {
  /// The key's bytes in an array: for wrapping, and to be wiped at once.
  package var exposedBytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
