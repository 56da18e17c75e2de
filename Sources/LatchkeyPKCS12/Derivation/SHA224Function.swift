import Crypto
import Foundation
import LatchkeyByteCoding

/// SHA-224 as a hash function for swift-crypto's HMAC.
struct SHA224Function: HashFunction {
  /// 28 bytes.
  struct Digest: Crypto.Digest {
    static let byteCount = SHA224.byteCount
    fileprivate let bytes: [UInt8]

    func withUnsafeBytes<Answer>(_ body: (UnsafeRawBufferPointer) throws -> Answer) rethrows -> Answer {
      try bytes.withUnsafeBytes(body)
    }

    func makeIterator() -> IndexingIterator<[UInt8]> { bytes.makeIterator() }

    var description: String { "SHA-224 digest" }
  }

  static let blockByteCount = SHA224.blockByteCount

  private var function = SHA224()

  init() {}

  mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) { function.update(bufferPointer: bytes) }

  func finalize() -> Digest {
    var last = function
    return Digest(bytes: last.finalize())
  }
}
