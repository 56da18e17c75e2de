internal import Crypto
internal import Foundation
internal import LatchkeyEnrollmentStore

// Apart from the key itself, which is fuzzed without the store.
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
