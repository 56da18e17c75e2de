import Crypto
import CryptoExtras
import Foundation
import LatchkeyByteCoding

/// The key derivation of PKCS #12 itself (RFC 7292 B.2), for its MAC and its own ciphers.
enum PKCS12KeyDerivation {
  /// The purpose of the derived bytes (B.3).
  enum Purpose: UInt8 {
    case key = 1
    case vector = 2
    case mac = 3
  }

  /// - Parameters:
  ///   - password: in the form of ``PasswordForm/wide``.
  ///   - rounds: at least 1; the caller has deducted them.
  static func derive(
    _ digest: DigestAlgorithm, _ purpose: Purpose, password: SecretBytes, salt: [UInt8], rounds: Int, count: Int
  ) -> SecretBytes {
    switch digest {
    case .sha1: derive(Insecure.SHA1.self, purpose, password, salt, rounds, count)
    case .sha224: derive(SHA224Function.self, purpose, password, salt, rounds, count)
    case .sha256: derive(SHA256.self, purpose, password, salt, rounds, count)
    case .sha384: derive(SHA384.self, purpose, password, salt, rounds, count)
    case .sha512: derive(SHA512.self, purpose, password, salt, rounds, count)
    case .sha512_256: derive(SHA512256.self, purpose, password, salt, rounds, count)
    }
  }

  /// The number of hash runs for `count` bytes.
  static func cost(_ digest: DigestAlgorithm, rounds: Int, count: Int) -> Int {
    rounds * ((count + digest.size - 1) / digest.size)
  }

  private static func derive<Function: HashFunction>(
    _: Function.Type, _ purpose: Purpose, _ password: SecretBytes, _ salt: [UInt8], _ rounds: Int, _ count: Int
  ) -> SecretBytes {
    let width = Function.blockByteCount
    let diversifier = [UInt8](repeating: purpose.rawValue, count: width)
    let saltCount = (salt.count + width - 1) / width * width
    let passwordCount = (password.count + width - 1) / width * width
    var input = [UInt8](repeating: 0, count: saltCount + passwordCount)
    defer { input.wipe() }
    for index in 0..<saltCount { input[index] = salt[index % salt.count] }
    for index in 0..<passwordCount { input[saltCount + index] = password[index % password.count] }
    return SecretBytes(count: count) { derived in
      var filled = 0
      while filled < count {
        var hash = Function()
        hash.update(data: diversifier)
        input.withUnsafeBytes { hash.update(bufferPointer: $0) }
        var digest = hash.finalize()
        for _ in 1..<rounds {
          digest = digest.withUnsafeBytes { bytes in
            var hash = Function()
            hash.update(bufferPointer: bytes)
            return hash.finalize()
          }
        }
        digest.withUnsafeBytes { bytes in
          for index in 0..<min(bytes.count, count - filled) { derived[filled + index] = bytes[index] }
          filled += bytes.count
          if filled < count { add(bytes, to: &input, width: width) }
        }
      }
    }
  }

  /// Adds the digest, repeated to a block, and one more to each block of the input (B.2, step 6C).
  private static func add(_ digest: UnsafeRawBufferPointer, to input: inout [UInt8], width: Int) {
    for block in stride(from: 0, to: input.count, by: width) {
      var carry: UInt16 = 1
      for index in (0..<width).reversed() {
        let sum = UInt16(input[block + index]) + UInt16(digest[index % digest.count]) + carry
        input[block + index] = UInt8(truncatingIfNeeded: sum)
        carry = sum >> 8
      }
    }
  }
}
