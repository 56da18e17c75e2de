internal import Crypto
internal import Foundation

/// What makes a request the same request: the caller's key, and a fingerprint of what it asked for with it.
struct IdempotencyKey: Sendable, Hashable {
  /// The caller's text.
  let text: String

  /// A key from its field.
  ///
  /// - Returns: nil unless it has 16 to 128 characters of `A-Z a-z 0-9 - _`; a structured-field string's quotes around it are
  ///   taken off.
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

  /// SHA-256 of method, path and body, each behind its length: two requests with one key must agree in it.
  static func fingerprint(method: String, path: String, body: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    for part in [Array(method.utf8), Array(path.utf8), body] {
      withUnsafeBytes(of: UInt64(part.count).bigEndian) { hash.update(bufferPointer: $0) }
      hash.update(data: part)
    }
    return Array(hash.finalize())
  }
}
