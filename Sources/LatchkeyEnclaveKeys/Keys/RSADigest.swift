import Crypto
import Foundation

/// The digests that swift-crypto signs and verifies with RSA. It tells the function by the digest's type, and lets nobody
/// make a value of these types but its own functions: so the caller's bytes are laid into one, which is taken only if it
/// then gives the same bytes back.
enum RSADigest {
  /// The functions that there are; SHA-224 is not among them.
  static let algorithms: Set<DigestAlgorithm> = [.sha1, .sha256, .sha384, .sha512]

  /// Does `body` with `digest`, made by `algorithm`, as swift-crypto has it.
  static func with<Result>(
    _ digest: [UInt8], of algorithm: DigestAlgorithm, _ body: (any Digest) throws(KeyError) -> Result
  ) throws(KeyError) -> Result {
    switch algorithm {
    case .sha1: try body(try lay(digest, into: Insecure.SHA1.Digest.self))
    case .sha224: throw .unsupported("RSA with SHA-224 is not there: use SHA-256")
    case .sha256: try body(try lay(digest, into: SHA256.Digest.self))
    case .sha384: try body(try lay(digest, into: SHA384.Digest.self))
    case .sha512: try body(try lay(digest, into: SHA512.Digest.self))
    }
  }

  private static func lay<Laid: Digest>(_ bytes: [UInt8], into type: Laid.Type) throws(KeyError) -> Laid {
    // A digest of swift-crypto is its bytes in a row of integers, with zeros after SHA-1's: no references, nothing beside.
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
