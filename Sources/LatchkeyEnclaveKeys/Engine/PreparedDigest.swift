import Crypto
import Foundation

/// A digest computed elsewhere, in the form that swift-crypto signs and verifies: any `Digest`. Of a digest longer than the
/// curve's order it uses the first bytes (FIPS 186-4 6.4).
struct PreparedDigest: Digest {
  /// The valid lengths of a digest in bytes; the longest is SHA-512's.
  static let lengths = 1...64
  /// The maximum. The protocol requires a number; only the actual bytes are signed.
  static let byteCount = 64

  private let bytes: [UInt8]

  /// Wraps these bytes without a copy; nil if there are none, or more than 64.
  init?(_ bytes: [UInt8]) {
    guard Self.lengths.contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    try bytes.withUnsafeBytes(body)
  }
}
