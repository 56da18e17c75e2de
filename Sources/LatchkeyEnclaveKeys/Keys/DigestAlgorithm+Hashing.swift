import Crypto
import Foundation
import LatchkeyByteCoding

extension DigestAlgorithm {
  /// The bytes of a digest.
  public var byteCount: Int {
    switch self {
    case .sha1: 20
    case .sha224: 28
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// The digest of `message`.
  package func hash(_ message: [UInt8]) -> [UInt8] {
    hash(parts: [message])
  }

  /// The digest of the concatenated parts, without copying them together.
  func hash(parts: [[UInt8]]) -> [UInt8] {
    switch self {
    case .sha1: Self.digest(of: parts, with: Insecure.SHA1())
    case .sha224: Self.digest224(of: parts)
    case .sha256: Self.digest(of: parts, with: SHA256())
    case .sha384: Self.digest(of: parts, with: SHA384())
    case .sha512: Self.digest(of: parts, with: SHA512())
    }
  }

  private static func digest(of parts: [[UInt8]], with function: some HashFunction) -> [UInt8] {
    var function = function
    for part in parts { function.update(data: part) }
    return function.finalize().withUnsafeBytes { [UInt8]($0) }
  }

  private static func digest224(of parts: [[UInt8]]) -> [UInt8] {
    var function = SHA224()
    for part in parts { function.update(part) }
    return function.finalize()
  }
}
