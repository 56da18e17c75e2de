import Crypto
import Foundation

/// Digests for swift-crypto's RSA. It selects the hash function by the digest's type, and only its own functions create values
/// of these types. So this code lays the caller's bytes out as such a value, and uses it only if it then returns the same
/// bytes.
enum RSADigest {
  /// The functions that swift-crypto's RSA has; SHA-224, which ``BoringSSLRSA`` serves, is not among them.
  static let algorithms: Set<DigestAlgorithm> = [.sha1, .sha256, .sha384, .sha512]

  /// Calls `body` with `digest`, computed by `algorithm`, in swift-crypto's type.
  static func with<Result>(
    _ digest: [UInt8], of algorithm: DigestAlgorithm, _ body: (any Digest) throws(KeyError) -> Result
  ) throws(KeyError) -> Result {
    switch algorithm {
    case .sha1: try body(try lay(digest, into: Insecure.SHA1.Digest.self))
    case .sha224: throw .unsupported("swift-crypto has no RSA with SHA-224")
    case .sha256: try body(try lay(digest, into: SHA256.Digest.self))
    case .sha384: try body(try lay(digest, into: SHA384.Digest.self))
    case .sha512: try body(try lay(digest, into: SHA512.Digest.self))
    }
  }

  private static func lay<Laid: Digest>(_ bytes: [UInt8], into type: Laid.Type) throws(KeyError) -> Laid {
    // A digest of swift-crypto is only its bytes in a row of integers, with zeros after SHA-1's, and no references.
    let size = MemoryLayout<Laid>.size
    guard bytes.count == type.byteCount, (bytes.count..<bytes.count + 8).contains(size), _isPOD(type) else {
      throw .unsupported("RSA of a digest that was computed elsewhere")
    }
    let padded = bytes + [UInt8](repeating: 0, count: size - bytes.count)
    let digest = padded.withUnsafeBytes { $0.loadUnaligned(as: type) }
    guard digest.withUnsafeBytes({ $0.elementsEqual(bytes) }) else {
      throw .unsupported("RSA of a digest that was computed elsewhere")
    }
    return digest
  }
}
