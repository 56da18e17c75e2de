import Crypto
import CryptoExtras
import Foundation
import LatchkeyByteCoding

@testable import LatchkeyPKCS12

/// Writes DER again in the ways that BER allows.
enum BERWriter {
  /// All lengths of constructed values indefinite, all long strings in parts.
  static func rewritten(_ der: [UInt8]) throws -> [UInt8] {
    var reader = PKCS12Reader(SecretBytes(der), depth: 64)
    var bytes: [UInt8] = []
    while !reader.isEmpty {
      let value = try reader.element("a value")
      let content = value.content.bytes()
      switch value.tag {
      case ASN1Tag.octetString.rawValue where content.count > 1:
        bytes += [0x24, 0x80] + parts(of: content) + [0, 0]
      case ASN1Tag.implicit0.rawValue: bytes += [0xA0, 0x80] + parts(of: content) + [0, 0]
      case let tag where tag & 0x20 != 0: bytes += [tag, 0x80] + (try rewritten(content)) + [0, 0]
      default: bytes += [value.tag, 0x84] + size(content.count) + content
      }
    }
    return bytes
  }

  private static func parts(of content: [UInt8]) -> [UInt8] {
    let half = content.count / 2
    let first: [UInt8] = [4, 0x84] + size(half) + content[..<half]
    let second: [UInt8] = [4, 0x84] + size(content.count - half) + content[half...]
    return first + [0x24, 0x80] + second + [0, 0]
  }

  private static func size(_ count: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
  }
}

enum TestCipher {
  /// AES or 3DES in CBC, by the length of the vector.
  static func encrypt(_ plain: [UInt8], key: SymmetricKey, vector: [UInt8]) throws -> [UInt8] {
    if vector.count == 16 {
      return [UInt8](try AES._CBC.encrypt(plain, using: key, iv: AES._CBC.IV(ivBytes: vector)))
    }
    guard let cipher = TripleDES(key: key.withUnsafeBytes { [UInt8]($0) }) else { throw PKCS12Error.unsupported("key") }
    return BlockChaining.encrypt(plain, with: cipher, vector: UInt64(bigEndian: vector))
  }
}
