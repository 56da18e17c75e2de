import Crypto
import CryptoExtras
import LatchkeyByteCoding

/// Security 1's cipher: AES-256-CTR, one key stream for both directions in the order of the messages, byte after byte without
/// regard to blocks. It has no authentication: who alters a message alters its text, and nobody sees it.
package struct KeyStream: Sendable {
  private static let blockLength = 16

  private let key: SymmetricKey
  /// 128 bits, most significant byte first.
  private var counter: [UInt8]
  private var block = SecretBytes(count: 0)
  private var used = 0

  /// - Parameter counter: The 16 bytes that the device drew.
  init(key: SymmetricKey, counter: [UInt8]) {
    self.key = key
    self.counter = counter
  }

  /// The next bytes of the stream over `bytes`.
  package mutating func apply(_ bytes: [UInt8]) throws(ProtocommSecurityError) -> [UInt8] {
    var result = bytes
    for index in result.indices {
      if used == block.count { try nextBlock() }
      result[index] ^= block[used]
      used += 1
    }
    return result
  }

  private mutating func nextBlock() throws(ProtocommSecurityError) {
    var bytes = counter
    do {
      try AES.permute(&bytes, key: key)
    } catch {
      throw .refusedByLibrary
    }
    block = SecretBytes(consuming: &bytes)
    used = 0
    for index in counter.indices.reversed() {
      counter[index] &+= 1
      if counter[index] != 0 { break }
    }
  }
}
