import Crypto
import LatchkeyByteCoding

// TPM 2.0 Library Part 2 12.2.4 (TPMT_PUBLIC), 12.2.3.5 (TPMS_RSA_PARMS), 12.2.3.6 (TPMS_ECC_PARMS), 11.1.7
// (TPMT_SYM_DEF_OBJECT), 11.2 (schemes), 11.2.5.2 (TPMS_ECC_POINT); Part 1 16 (names).

/// The public area of a key in a TPM: its type, attributes and policy.
package struct TPMPublic: Hashable, Sendable {
  /// The key itself.
  package enum Key: Hashable, Sendable {
    /// A point of a curve; the coordinates as the TPM writes them, possibly without leading zeros.
    case ecc(TPMCurve, x: [UInt8], y: [UInt8])
    /// A modulus and an exponent (0 stands for 65537).
    case rsa(bits: UInt16, exponent: UInt32, modulus: [UInt8])
  }

  /// The symmetric algorithm of a storage key.
  package struct Symmetric: Hashable, Sendable {
    package var algorithm: TPMAlgorithm
    package var keyBits: UInt16
    package var mode: TPMAlgorithm

    package init(algorithm: TPMAlgorithm, keyBits: UInt16, mode: TPMAlgorithm) {
      self.algorithm = algorithm
      self.keyBits = keyBits
      self.mode = mode
    }
  }

  /// The hash function of the name, and of the policy.
  package var nameAlgorithm: TPMAlgorithm
  /// The key's permitted uses, and whether it may move.
  package var attributes: TPMObjectAttributes
  /// The digest of the policy; empty for none.
  package var authPolicy: [UInt8]
  /// The algorithm that a storage key encrypts its children with; nil for other keys.
  package var symmetric: Symmetric?
  /// The key's fixed scheme; nil if the caller chooses.
  package var scheme: TPMAlgorithm?
  /// The key.
  package var key: Key

  /// Parses all of `bytes`: an RSA key or one on a curve, nothing else.
  package init(encoded bytes: [UInt8]) throws(AttestationFormatError) {
    do throws(ByteCodingError) {
      var reader = ByteReader(bytes)
      let type = try reader.tpmAlgorithm("type")
      nameAlgorithm = try reader.tpmAlgorithm("nameAlg")
      attributes = TPMObjectAttributes(rawValue: try reader.uint32BigEndian("objectAttributes"))
      authPolicy = try reader.tpm2B("authPolicy", limit: 64)
      symmetric = try Self.symmetric(&reader)
      scheme = try Self.scheme(&reader)
      switch type {
      case .ecc:
        let curve = TPMCurve(rawValue: try reader.uint16BigEndian("curveID"))
        // No TPM has a key derivation scheme here yet; its hash function would follow.
        guard try reader.tpmAlgorithm("kdf") == .null else { throw .invalidValue(field: "kdf") }
        key = .ecc(curve, x: try reader.tpm2B("x", limit: 66), y: try reader.tpm2B("y", limit: 66))
      case .rsa:
        let bits = try reader.uint16BigEndian("keyBits")
        let exponent = try reader.uint32BigEndian("exponent")
        key = .rsa(bits: bits, exponent: exponent, modulus: try reader.tpm2B("modulus", limit: 512))
      default: throw .invalidValue(field: "type")
      }
      try reader.finish("TPMT_PUBLIC")
    } catch {
      throw .structure("pubArea", error)
    }
  }

  private static func symmetric(_ reader: inout ByteReader) throws(ByteCodingError) -> Symmetric? {
    let algorithm = try reader.tpmAlgorithm("symmetric")
    guard algorithm != .null else { return nil }
    return Symmetric(
      algorithm: algorithm, keyBits: try reader.uint16BigEndian("symmetric.keyBits"),
      mode: try reader.tpmAlgorithm("symmetric.mode"))
  }

  private static func scheme(_ reader: inout ByteReader) throws(ByteCodingError) -> TPMAlgorithm? {
    let scheme = try reader.tpmAlgorithm("scheme")
    guard scheme != .null else { return nil }
    // Only RSAES has no hash function; ECDAA also has a count.
    if scheme != .rsaes { try reader.skip(2, "scheme.hashAlg") }
    if scheme == .ecdaa { try reader.skip(2, "scheme.count") }
    return scheme
  }

  /// The public key in X9.63 form (65 bytes), if it is on P-256. Whether the point is on the curve is not checked.
  package var x963: [UInt8]? {
    guard case .ecc(.p256, let x, let y) = key, (1...32).contains(x.count), (1...32).contains(y.count) else {
      return nil
    }
    let padding = { [UInt8](repeating: 0, count: 32 - $0) }
    return [4] + padding(x.count) + x + padding(y.count) + y
  }

  /// The name of the key whose public area is `encoded`: the number of its hash function and the digest (Part 1 16). Nil for a
  /// hash function outside SHA-2.
  package static func name(of encoded: [UInt8]) -> [UInt8]? {
    guard encoded.count > 4 else { return nil }
    let algorithm = Array(encoded[2..<4])
    switch TPMAlgorithm(rawValue: UInt16(algorithm[0]) << 8 | UInt16(algorithm[1])) {
    case .sha256: return algorithm + SHA256.hash(data: encoded)
    case .sha384: return algorithm + SHA384.hash(data: encoded)
    case .sha512: return algorithm + SHA512.hash(data: encoded)
    default: return nil
    }
  }
}
