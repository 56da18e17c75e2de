import Crypto
import Foundation

/// A digest that was computed elsewhere, in the form that swift-crypto signs and verifies: it takes whatever conforms to
/// `Digest`, and of one that is longer than the curve's order the first bytes (FIPS 186-4 6.4).
struct PreparedDigest: Digest {
  /// How long a digest may be: as long as SHA-512's.
  static let lengths = 1...64
  /// The longest; the protocol wants a number, and only the bytes themselves are signed.
  static let byteCount = 64

  private let bytes: [UInt8]

  /// The digest of these bytes, which are not copied; nil if there are none, or more than 64.
  init?(_ bytes: [UInt8]) {
    guard Self.lengths.contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    try bytes.withUnsafeBytes(body)
  }
}
