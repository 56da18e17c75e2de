internal import Crypto
internal import Foundation
internal import LatchkeyEnrollmentStore

/// Identifies repetitions of a request by the caller's key, which is stored with a digest of the request.
struct IdempotencyKey: Sendable, Hashable {
  /// The caller's text.
  let text: String

  /// Parses the header field.
  ///
  /// - Returns: nil unless it has 16 to 128 characters of `A-Z a-z 0-9 - _`; the quotes of a structured-field string are
  ///   removed.
  init?(field: String) {
    var text = Substring(field)
    if text.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
    guard (16...128).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
    self.text = String(text)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension IdempotencyKey {
  /// SHA-256 of method, path and body, each after its length: requests with the same key must have the same digest.
  static func digest(method: String, path: String, body: [UInt8]) -> RequestDigest {
    var hash = SHA256()
    for part in [Array(method.utf8), Array(path.utf8), body] {
      withUnsafeBytes(of: UInt64(part.count).bigEndian) { hash.update(bufferPointer: $0) }
      hash.update(data: part)
    }
    return RequestDigest(hash.finalize())
  }
}
