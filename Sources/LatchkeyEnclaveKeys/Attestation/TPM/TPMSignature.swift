import LatchkeyByteCoding

// TPM 2.0 Library Part 2 11.3.4 (TPMT_SIGNATURE), 11.3.2.1 (TPMS_SIGNATURE_ECC), 11.3.1.1 (TPMS_SIGNATURE_RSA).

/// A signature as a TPM writes it.
package enum TPMSignature: Hashable, Sendable {
  /// ECDSA: the hash function, r and s as the TPM writes them.
  case ecdsa(TPMAlgorithm, r: [UInt8], s: [UInt8])
  /// RSASSA-PKCS1-v1_5: the hash function and the signature.
  case rsassa(TPMAlgorithm, [UInt8])

  /// Parses all of `bytes`.
  package init(encoded bytes: [UInt8]) throws(AttestationFormatError) {
    do throws(ByteCodingError) {
      var reader = ByteReader(bytes)
      let scheme = try reader.tpmAlgorithm("sigAlg")
      let hash = try reader.tpmAlgorithm("hash")
      switch scheme {
      case .ecdsa: self = .ecdsa(hash, r: try reader.tpm2B("r", limit: 66), s: try reader.tpm2B("s", limit: 66))
      case .rsassa: self = .rsassa(hash, try reader.tpm2B("sig", limit: 512))
      default: throw .invalidValue(field: "sigAlg")
      }
      try reader.finish("TPMT_SIGNATURE")
    } catch {
      throw .structure("sig", error)
    }
  }

  /// The signature as a TPM writes it.
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 80)
    switch self {
    case .ecdsa(let hash, let r, let s):
      writer.uint16BigEndian(TPMAlgorithm.ecdsa.rawValue)
      writer.uint16BigEndian(hash.rawValue)
      writer.tpm2B(r)
      writer.tpm2B(s)
    case .rsassa(let hash, let signature):
      writer.uint16BigEndian(TPMAlgorithm.rsassa.rawValue)
      writer.uint16BigEndian(hash.rawValue)
      writer.tpm2B(signature)
    }
    return writer.bytes
  }

  /// r and s of ECDSA on P-256, 32 bytes each; nil for anything else.
  package var p256: [UInt8]? {
    guard case .ecdsa(.sha256, let r, let s) = self, (1...32).contains(r.count), (1...32).contains(s.count) else {
      return nil
    }
    let padding = { [UInt8](repeating: 0, count: 32 - $0) }
    return padding(r.count) + r + padding(s.count) + s
  }
}
