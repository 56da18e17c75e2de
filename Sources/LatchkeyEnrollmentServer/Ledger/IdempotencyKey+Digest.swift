internal import Crypto
internal import Foundation
internal import LatchkeyEnrollmentStore

extension IdempotencyKey {
  /// SHA-256 of method, path and body, each behind its length: two requests with one key must agree in it.
  static func digest(method: String, path: String, body: [UInt8]) -> RequestDigest {
    var hash = SHA256()
    for part in [Array(method.utf8), Array(path.utf8), body] {
      withUnsafeBytes(of: UInt64(part.count).bigEndian) { hash.update(bufferPointer: $0) }
      hash.update(data: part)
    }
    return RequestDigest(hash.finalize())
  }
}
