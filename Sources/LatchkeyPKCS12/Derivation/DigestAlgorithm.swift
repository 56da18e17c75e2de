import Crypto
import CryptoExtras
import Foundation
import LatchkeyByteCoding

/// A hash function for MACs and key derivations.
enum DigestAlgorithm: CaseIterable {
  case sha1, sha224, sha256, sha384, sha512, sha512_256

  /// Its own object identifier.
  var identifier: DERObjectIdentifier {
    switch self {
    case .sha1: .sha1
    case .sha224: .sha224
    case .sha256: .sha256
    case .sha384: .sha384
    case .sha512: .sha512
    case .sha512_256: .sha512_256
    }
  }

  /// The object identifier of its HMAC.
  var hmacIdentifier: DERObjectIdentifier {
    switch self {
    case .sha1: .hmacSHA1
    case .sha224: .hmacSHA224
    case .sha256: .hmacSHA256
    case .sha384: .hmacSHA384
    case .sha512: .hmacSHA512
    case .sha512_256: .hmacSHA512_256
    }
  }

  /// Its name for PBKDF2; nil if PBKDF2 does not support it.
  var pbkdf2Name: KDF.Insecure.PBKDF2.HashFunction? {
    switch self {
    case .sha1: .insecureSHA1
    case .sha224: .insecureSHA224
    case .sha256: .sha256
    case .sha384: .sha384
    case .sha512: .sha512
    case .sha512_256: nil
    }
  }

  /// The size of a digest in bytes.
  var size: Int {
    switch self {
    case .sha1: 20
    case .sha224: 28
    case .sha256, .sha512_256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// The HMAC (RFC 2104) of the rest of `text`.
  func hmac(_ text: PKCS12Reader, key: SecretBytes) -> [UInt8] {
    switch self {
    case .sha1: Self.hmac(Insecure.SHA1.self, text, key)
    case .sha224: Self.hmac(SHA224Function.self, text, key)
    case .sha256: Self.hmac(SHA256.self, text, key)
    case .sha384: Self.hmac(SHA384.self, text, key)
    case .sha512: Self.hmac(SHA512.self, text, key)
    case .sha512_256: Self.hmac(SHA512256.self, text, key)
    }
  }

  private static func hmac<Function: HashFunction>(
    _: Function.Type, _ text: PKCS12Reader, _ key: SecretBytes
  ) -> [UInt8] {
    let key = key.withUnsafeBytes { SymmetricKey(data: $0) }
    return text.withUnsafeBytes {
      [UInt8](HMAC<Function>.authenticationCode(for: $0, using: key))
    }
  }
}

extension PKCS12Reader {
  /// Parses a digest's AlgorithmIdentifier, by the identifiers that the key path selects.
  mutating func digestAlgorithm(
    by identifier: KeyPath<DigestAlgorithm, DERObjectIdentifier>, _ field: StaticString
  ) throws(PKCS12Error) -> DigestAlgorithm {
    var read = try algorithmIdentifier(field)
    guard let algorithm = DigestAlgorithm.allCases.first(where: { $0[keyPath: identifier] == read.algorithm }) else {
      throw .unsupported("\(field) by \(read.algorithm.name)")
    }
    // Parameters are NULL or absent (RFC 8018 B.1.1): others are undefined.
    if !read.parameters.isEmpty {
      guard try read.parameters.item(.null, field).isEmpty else {
        throw .malformed("\(field) has a NULL with bytes in it")
      }
    }
    try read.parameters.finish(field)
    return algorithm
  }
}
