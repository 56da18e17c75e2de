// TPM 2.0 Library Part 2 "Structures", 6.3 (TPM_ALG_ID).

/// An algorithm, by the TPM's number.
package struct TPMAlgorithm: RawRepresentable, Hashable, Sendable {
  /// The number.
  package let rawValue: UInt16
  /// Creates an algorithm from its number.
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let rsa = TPMAlgorithm(rawValue: 0x0001)
  package static let sha1 = TPMAlgorithm(rawValue: 0x0004)
  package static let aes = TPMAlgorithm(rawValue: 0x0006)
  package static let sha256 = TPMAlgorithm(rawValue: 0x000B)
  package static let sha384 = TPMAlgorithm(rawValue: 0x000C)
  package static let sha512 = TPMAlgorithm(rawValue: 0x000D)
  package static let null = TPMAlgorithm(rawValue: 0x0010)
  package static let rsassa = TPMAlgorithm(rawValue: 0x0014)
  package static let rsaes = TPMAlgorithm(rawValue: 0x0015)
  package static let ecdsa = TPMAlgorithm(rawValue: 0x0018)
  package static let ecdaa = TPMAlgorithm(rawValue: 0x001A)
  package static let ecc = TPMAlgorithm(rawValue: 0x0023)
  package static let cfb = TPMAlgorithm(rawValue: 0x0043)
}

/// A curve, by the TPM's number (Part 2 6.4, TPM_ECC_CURVE).
package struct TPMCurve: RawRepresentable, Hashable, Sendable {
  /// The number.
  package let rawValue: UInt16
  /// Creates a curve from its number.
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let p256 = TPMCurve(rawValue: 0x0003)
}

/// A key's attributes: its permitted uses, and whether it may move (Part 2 8.3, TPMA_OBJECT).
package struct TPMObjectAttributes: OptionSet, Hashable, Sendable {
  /// The bits.
  package let rawValue: UInt32
  /// Creates attributes from bits.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// It never moves to another hierarchy.
  package static let fixedTPM = TPMObjectAttributes(rawValue: 1 << 1)
  /// It never moves to another parent.
  package static let fixedParent = TPMObjectAttributes(rawValue: 1 << 4)
  /// The TPM itself generated the key's sensitive data.
  package static let sensitiveDataOrigin = TPMObjectAttributes(rawValue: 1 << 5)
  /// The authorization value alone suffices for use.
  package static let userWithAuth = TPMObjectAttributes(rawValue: 1 << 6)
  /// Only the policy suffices for administration.
  package static let adminWithPolicy = TPMObjectAttributes(rawValue: 1 << 7)
  /// Wrong authorizations are not counted.
  package static let noDA = TPMObjectAttributes(rawValue: 1 << 10)
  /// It operates only on the TPM's own structures.
  package static let restricted = TPMObjectAttributes(rawValue: 1 << 16)
  /// It decrypts, or agrees on keys.
  package static let decrypt = TPMObjectAttributes(rawValue: 1 << 17)
  /// It signs.
  package static let sign = TPMObjectAttributes(rawValue: 1 << 18)
}
