import Crypto
import LatchkeyByteCoding
import LatchkeyKeychainModel

/// HMAC-SHA256 (RFC 2104) under one key, whose two keyed blocks are hashed once.
///
/// A commit computes a dozen codes of short messages. swift-crypto's `HMAC` is generic over its hash, which outside its module
/// costs more per code than the hashing.
struct PreparedMAC: Sendable {
  private let inner: SHA256
  private let outer: SHA256

  init(_ key: SymmetricKey) {
    inner = Self.keyed(key, 0x36)
    outer = Self.keyed(key, 0x5C)
  }

  /// The hash state after the key's block, padded with zeros, XOR `pad`.
  private static func keyed(_ key: SymmetricKey, _ pad: UInt8) -> SHA256 {
    var block = [UInt8](repeating: 0, count: SHA256.blockByteCount)
    defer { block.wipe() }
    key.withUnsafeBytes { bytes in
      if bytes.count <= block.count {
        for index in bytes.indices { block[index] = bytes[index] }
      } else {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        hash.finalize().withUnsafeBytes { digest in
          for index in digest.indices { block[index] = digest[index] }
        }
      }
    }
    for index in block.indices { block[index] ^= pad }
    var hash = SHA256()
    block.withUnsafeBytes { hash.update(bufferPointer: $0) }
    return hash
  }

  /// The full 32-byte code of `message`.
  func code(_ message: [UInt8]) -> [UInt8] {
    message.withUnsafeBytes { code(of: $0).withUnsafeBytes { [UInt8]($0) } }
  }

  /// The full code of a buffer.
  func code(of message: UnsafeRawBufferPointer) -> SHA256Digest {
    var running = inner
    running.update(bufferPointer: message)
    var finishing = outer
    running.finalize().withUnsafeBytes { finishing.update(bufferPointer: $0) }
    return finishing.finalize()
  }

  /// The first 16 bytes of the code of `message`.
  func tag(_ message: [UInt8]) -> [UInt8] {
    message.withUnsafeBytes { code(of: $0).withUnsafeBytes { [UInt8]($0.prefix(AttributeTag.size)) } }
  }
}
